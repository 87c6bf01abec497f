// Which files a command line means.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/result.h"

namespace forerun::cli {

bool is_python(const std::string& path);
bool is_cpp(const std::string& path);  // sources and headers
bool is_header(const std::string& path);
bool is_notebook(const std::string& path);

struct Sources {
  std::vector<std::string> files;  // as named, or below a named folder; each once
  std::vector<Error> errors;       // named paths that cannot be checked
};

// Folders are walked for .py .ipynb .cpp .cc .cxx .cu .h .hpp .cuh in sorted order. Hidden folders,
// virtual environments, build trees and what `excluded` matches are passed by; a file that is named
// is always taken.
Sources find_sources(const std::vector<std::string>& paths,
                     const std::function<bool(const std::string&)>& excluded);

}  // namespace forerun::cli
