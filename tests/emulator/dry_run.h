// Runs a command on the emulated device, as a user does.
#pragma once

#include <string>
#include <vector>

#include "tests/support/golden.h"

namespace forerun::test {

inline CommandResult dry_run(const std::vector<std::string>& options,
                             const std::vector<std::string>& command) {
  std::vector<std::string> argv{FORERUN_BINARY_DIR "/bin/forerun-dry-run"};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.push_back("--");
  argv.insert(argv.end(), command.begin(), command.end());
  return run_command(argv, "", 300);
}

}  // namespace forerun::test
