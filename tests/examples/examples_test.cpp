// The examples do what their README says: the trainers run, their mistakes are found, the mended
// ones are clean.
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace forerun::test {
namespace {

using ::testing::HasSubstr;

CommandResult lint(const std::string& example) {
  return run_command({FORERUN_BINARY_DIR "/bin/forerun", "lint", "examples/" + example}, {}, 300);
}

// Rule -> how often it is reported in a text report.
std::map<std::string, int> rules_in(const std::string& report) {
  std::map<std::string, int> counts;
  for (std::size_t at = 0; (at = report.find("]\n", at)) != std::string::npos; ++at) {
    const std::size_t open = report.rfind('[', at);
    ++counts[report.substr(open + 1, at - open - 1)];
  }
  return counts;
}

TEST(Examples, TheMistakesOfThePythonTrainerAreFound) {
  const CommandResult result = lint("train_mlp.py");
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const std::map<std::string, int> expected{
      {"clip-before-unscale", 1}, {"graph-kept-accumulator", 1},    {"graph-kept-container", 1},
      {"host-sync-in-loop", 1},   {"loader-without-pin-memory", 1}, {"zero-grad-missing", 1}};
  EXPECT_EQ(rules_in(result.out), expected) << result.out;
}

TEST(Examples, TheMistakesOfTheCppTrainerAreFound) {
  const CommandResult result = lint("train_mlp.cpp");
  EXPECT_EQ(result.exit_code, 1) << result.err;
  const std::map<std::string, int> expected{{"graph-kept-accumulator", 1},
                                            {"graph-kept-container", 1},
                                            {"host-sync-in-loop", 2},
                                            {"zero-grad-missing", 1}};
  EXPECT_EQ(rules_in(result.out), expected) << result.out;
}

TEST(Examples, TheMendedTrainersAreClean) {
  for (const char* example : {"train_mlp_fixed.py", "train_mlp_fixed.cpp"}) {
    const CommandResult result = lint(example);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST(Examples, TheCppTrainersTrain) {
  for (const char* name : {"train_mlp", "train_mlp_fixed"}) {
    const CommandResult result =
        run_command({std::string(FORERUN_BINARY_DIR "/examples/") + name, "1"}, {}, 300);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("validation accuracy 0.9"));
  }
}

TEST(Examples, TheReadmeShowsWhatTheToolsPrint) {
  const CommandResult result =
      run_command({"python3", FORERUN_SOURCE_DIR "/scripts/generate", "--check", "--bin",
                   FORERUN_BINARY_DIR "/bin", "README.md"},
                  {}, 600);
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace
}  // namespace forerun::test
