// compile_commands.json, read with places in its errors.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/result.h"

namespace clang::tooling {
class CompilationDatabase;
}

namespace forerun::cpp {

struct DatabaseFile {
  std::string path;                                            // of the compile_commands.json
  std::shared_ptr<clang::tooling::CompilationDatabase> exact;  // only what it lists
  std::shared_ptr<clang::tooling::CompilationDatabase>
      inferred;  // and the nearest entry for any other file
};

// Errors: not readable, not JSON (with line and column), not a list of {directory, file, command |
// arguments}.
Result<DatabaseFile> read_database(const std::string& path);

}  // namespace forerun::cpp
