// Which command line a C++ file is parsed with.
#pragma once

#include <string>
#include <vector>

#include "analyzer/cpp/frontend.h"
#include "core/result.h"

namespace forerun::cpp {

struct CommandLine {
  std::vector<std::string> arguments;  // compiler name first, the file last
  std::string directory;  // where relative paths in it start; empty: the working directory
  std::string from;       // Lowered::flags_from
  std::vector<std::string> messages;
};

// In order: flags given; the compilation database of -p; one found in the file's folder or above
// (or in a `build` folder there) that lists the file; LibTorch found in torch_roots. Errors: a
// database that is missing where -p says, unreadable or not JSON (with the place in it); none of
// the above.
Result<CommandLine> command_line(const std::string& path, const Options& options);

// LibTorch's headers under one of `roots`: a site-packages folder, a torch folder, an unpacked
// libtorch, an include folder, or a folder with forerun's own declarations (headers/torch/torch.h).
struct TorchHeaders {
  std::vector<std::string> include_folders;
  std::string found_in;  // the root as given
  int major = 0;         // 0.0: declarations without a version
  int minor = 0;
};
std::vector<TorchHeaders> find_torch(const std::vector<std::string>& roots);

}  // namespace forerun::cpp
