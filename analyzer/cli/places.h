// Where this machine keeps what forerun-lint needs.
#pragma once

#include <string>
#include <vector>

namespace forerun::cli {

// Folders that may hold LibTorch's headers: named ones first, then FORERUN_TORCH, the virtual
// environment beside this program, the active one, the
// system's, and forerun's own declarations of the API.
std::vector<std::string> torch_roots(const std::vector<std::string>& named);

// Where findings and precompiled headers are kept: FORERUN_CACHE_DIR, or forerun/ in XDG_CACHE_HOME
// or HOME/.cache; empty when none is set.
std::string default_cache_folder();

// Names this build of the program: its version, and the program file's size and time.
std::string build_name();

}  // namespace forerun::cli
