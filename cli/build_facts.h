// What the configure step of this build found (cmake/BuildFacts.cmake writes it).
#pragma once

#include <string>
#include <vector>

namespace forerun::cli {

struct BuildFacts {
  struct Tool {
    std::string program;  // "forerun-lint"
    bool built = false;
    std::string why_not;  // what it lacks and which package turns it on; "" when built
  };
  std::vector<Tool> tools;
  std::string
      clang_library;  // path of libclang-cpp; CMake's "...-NOTFOUND" or "" when there was none
  std::string llvm_version;   // the one this source wants
  std::string torch_folder;   // the folder that holds lib/ and include/; "" when there was none
  std::string torch_version;  // "2.11"
  bool torch_has_cuda = false;
};

const BuildFacts& build_facts();

}  // namespace forerun::cli
