// Against what others publish: schemas and clients from PyPI. Each script says what it compares;
// without a network it cannot, and the test is skipped with its reason.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace forerun::test {
namespace {

void run_check(const std::string& script) {
  if (!std::filesystem::exists(FORERUN_BINARY_DIR "/bin/forerun-lint"))
    GTEST_SKIP() << "forerun-lint is not built here";
  const CommandResult result = run_command(
      {FORERUN_SOURCE_DIR "/scripts/" + script, "--build", FORERUN_BINARY_DIR}, {}, 300);
  if (result.exit_code == 2) GTEST_SKIP() << result.err;
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(Published, FormatsAreAsTheirSchemasSay) { run_check("check_formats"); }
TEST(Published, CiFilesAreValidAndTheirCommandsRun) { run_check("check_ci"); }
TEST(Published, ALanguageClientIsAnswered) { run_check("check_lsp"); }

}  // namespace
}  // namespace forerun::test
