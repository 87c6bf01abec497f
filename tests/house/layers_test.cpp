// scripts/check_layers.py: the tree keeps to its map, and a tree that does not is reported.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace forerun::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

CommandResult check_layers(const std::string& root) {
  return run_command({"python3", FORERUN_SOURCE_DIR "/scripts/check_layers.py", "--root", root});
}

// A small tree with a map of two libraries and a tool, and the real table of packages.
class Layers : public ::testing::Test {
 protected:
  Layers() {
    tree_.write("CMakeLists.txt",
                "forerun_library(core DIR core EXTERNAL fmt)\n"
                "# forerun_library(gone DIR gone)\n"
                "forerun_library(rules DIR rules MAY_USE core\n  CATALOG rule)\n"
                "forerun_tool(tool DIR tool/cli MAY_USE core rules)\n"
                "add_subdirectory(tool/apart)\n");
    for (const char* file : {"cmake/Layers.cmake", "cmake/Catalog.cmake"}) {
      tree_.write(file, read_all(std::string(FORERUN_SOURCE_DIR "/") + file));
    }
    tree_.write("core/a.h", "#pragma once\n#include <vector>\n#include <sys/stat.h>\n");
    tree_.write("core/a.cpp", "#include \"core/a.h\"\n#include <fmt/format.h>\n");
    tree_.write("rules/rule.h", "#include \"core/a.h\"\n");
    tree_.write("rules/memory/leak/rule.cpp", "#include \"rules/rule.h\"\n");
    tree_.write("rules/memory/leak/bad.cpp", "#include <torch/torch.h>\n");
    tree_.write("tool/cli/main.cpp", "#include \"rules/rule.h\"\n");
    tree_.write("tool/apart/shim.cpp", "#include <cuda.h>\n");
  }

  void expect_problem(const std::string& file, const std::string& text,
                      const std::string& message) {
    tree_.write(file, text);
    const CommandResult result = check_layers(tree_.path());
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.err, message + "\n");
    EXPECT_EQ(result.out, "");
  }

  TemporaryFolder tree_;
};

TEST_F(Layers, AcceptsATreeThatKeepsToItsMap) {
  const CommandResult result = check_layers(tree_.path());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "check_layers: 5 files of 3 components keep to the map\n");
}

TEST_F(Layers, ReportsALibraryThatIsNotInMayUse) {
  tree_.write("tool/cli/tool.h", "");
  expect_problem(
      "rules/memory/leak/rule.cpp", "\n#include \"tool/cli/tool.h\"\n",
      "rules/memory/leak/rule.cpp:2: error: library 'rules' may not include 'tool/cli/tool.h'; "
      "it may use: core");
}

TEST_F(Layers, ReportsAPackageThatIsNotInExternal) {
  expect_problem("rules/memory/leak/rule.cpp", "#  include <clang/AST/Decl.h>\n",
                 "rules/memory/leak/rule.cpp:1: error: library 'rules' may not include "
                 "'clang/AST/Decl.h'; it may use: core");
  expect_problem(
      "rules/memory/leak/rule.cpp", "#include <zlib/zlib.h>\n",
      "rules/memory/leak/rule.cpp:1: error: library 'rules' may not include 'zlib/zlib.h'; "
      "it may use: core");
}

TEST_F(Layers, ReportsAnIncludeBesideTheFile) {
  expect_problem("core/a.cpp", "#include \"a.h\"\n",
                 "core/a.cpp:1: error: 'a.h' is no file of a component; includes are rooted at the "
                 "repository");
}

TEST_F(Layers, ReportsAFileNoLineCompiles) {
  expect_problem("core/deep/b.cpp", "",
                 "core/deep/b.cpp:1: error: no line of CMakeLists.txt compiles this folder");
}

TEST_F(Layers, ReportsAnArrowThatPointsUp) {
  expect_problem(
      "CMakeLists.txt",
      "forerun_library(core DIR core MAY_USE rules EXTERNAL fmt)\n"
      "forerun_library(rules DIR rules MAY_USE core CATALOG rule)\n"
      "forerun_tool(tool DIR tool/cli MAY_USE core rules)\nadd_subdirectory(tool/apart)\n",
      "CMakeLists.txt: error: 'core' may use 'rules', which no line above it declares");
}

TEST_F(Layers, RefusesAMapItCannotRead) {
  tree_.write("CMakeLists.txt", "project(x)\n");
  const CommandResult result = check_layers(tree_.path());
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("CMakeLists.txt has no forerun_library() line"));
}

TEST(House, TheTreeKeepsToItsMap) {
  const CommandResult result = check_layers(FORERUN_SOURCE_DIR);
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST(House, TheSourcesAreLaidOutAsTheFormatSays) {
  const CommandResult result = run_command({FORERUN_SOURCE_DIR "/scripts/check_format"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

// The outputs in README.md need LibTorch; tests/examples holds them.
TEST(House, ThePagesThatFollowFromTheCodeAreUpToDate) {
  const CommandResult result =
      run_command({"python3", FORERUN_SOURCE_DIR "/scripts/generate", "--check", "--bin",
                   FORERUN_BINARY_DIR "/bin", "docs/architecture.md", "docs/cli.md",
                   "docs/rules.md", "docs/layers.md", "docs/gpus.md"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

// A path of the machine something was written on means nothing on another.
TEST(House, NoTrackedFileNamesAPathOfAMachine) {
  if (!std::filesystem::exists(FORERUN_SOURCE_DIR "/.git")) GTEST_SKIP() << "not a git checkout";
  const CommandResult result =
      run_command({"git", "-C", FORERUN_SOURCE_DIR, "grep", "-nIE",
                   "(^|[^A-Za-z0-9_.>)}])/(work|home|root)/", "--", ".", ":!tests/house"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
}

}  // namespace
}  // namespace forerun::test
