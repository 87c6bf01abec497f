// A run that finds what it knows from before prints the same bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lint_cli/lint_command.h"

namespace forerun::test {
namespace {

using LintCache = LintCommand;

TEST_F(LintCache, PrintsTheSameBytes) {
  folder_.write("a.py", read_all(FORERUN_SOURCE_DIR "/rules/gradient/zero-grad-missing/bad.py"));
  folder_.write("b.py", "def fit(net:\n");
  folder_.write("c.py", "x = 1\n");
  for (const char* format : {"text", "json", "sarif"}) {
    const std::string ask = std::string(". --isolated --format ") + format;
    const CommandResult plain = lint_here(ask + " --no-cache");
    EXPECT_NE(plain.out, "");
    for (int run = 0; run < 2; ++run) {
      const CommandResult kept = lint_here(ask + " --cache-dir kept");
      EXPECT_EQ(kept.out, plain.out) << format << run;
      EXPECT_EQ(kept.err, plain.err) << format << run;
      EXPECT_EQ(kept.exit_code, plain.exit_code);
    }
  }
}

TEST_F(LintCache, AsksAnewWhenTheSelectionOrTheTextChanges) {
  const std::string bad = read_all(FORERUN_SOURCE_DIR "/rules/gradient/zero-grad-missing/bad.py");
  folder_.write("a.py", bad);
  EXPECT_EQ(lint_here("a.py --isolated", "FORERUN_CACHE_DIR=kept").exit_code, 1);
  const std::string other = "a.py --isolated --select cat-in-loop";
  EXPECT_EQ(lint_here(other, "FORERUN_CACHE_DIR=kept").out, "");
  folder_.write("a.py", "x = 1\n");
  EXPECT_EQ(lint_here("a.py --isolated", "FORERUN_CACHE_DIR=kept").out, "");
}

TEST_F(LintCache, AFolderThatCannotBeWrittenIsANote) {
  folder_.write("file", "");
  folder_.write("a.py", "x = 1\n");
  const CommandResult run = lint_here("a.py --isolated --cache-dir file");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, ::testing::HasSubstr("nothing can be kept in file"));
}

}  // namespace
}  // namespace forerun::test
