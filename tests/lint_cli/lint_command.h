// forerun-lint as its users run it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace forerun::test {

class LintCommand : public ::testing::Test {
 protected:
  static constexpr const char* kTool = FORERUN_BINARY_DIR "/bin/forerun-lint";

  void SetUp() override {
    if (!std::filesystem::exists(kTool)) GTEST_SKIP() << "forerun-lint is not built here";
  }
  CommandResult lint(std::vector<std::string> arguments, const std::string& input = {}) {
    arguments.insert(arguments.begin(), kTool);
    return run_command(arguments, input, 60);
  }
  // Runs with the folder as working directory, so that paths are relative.
  CommandResult lint_here(const std::string& arguments, const std::string& environment = "") {
    return shell(environment + " '" + kTool + "' " + arguments);
  }
  CommandResult shell(const std::string& command) {
    return run_command({"sh", "-c", "cd '" + folder_.path() + "' && " + command}, {}, 60);
  }
  TemporaryFolder folder_;
};

}  // namespace forerun::test
