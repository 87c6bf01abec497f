// Fifty random training programs: none crashes, none meets an entry point nobody considered.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/dry_run.h"

namespace forerun::test {
namespace {

TEST(RandomPrograms, Run) {
  std::vector<std::string> command{FORERUN_PYTHON, "-W", "ignore",
                                   FORERUN_SOURCE_DIR
                                   "/tests/emulator/programs/random_training.py"};
  for (int seed = 1; seed <= 50; ++seed) command.push_back(std::to_string(seed));
  const CommandResult result = dry_run({}, command);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 50);
  EXPECT_THAT(result.err, ::testing::HasSubstr("unmodelled calls: none"));
}

}  // namespace
}  // namespace forerun::test
