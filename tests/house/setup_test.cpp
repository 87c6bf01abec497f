// scripts/setup on machines that lack something, played by a PATH of small programs.
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace forerun::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class Setup : public ::testing::Test {
 protected:
  // A clone with the scripts and the versions, and everything but Debian's packages already in its
  // build folder.
  Setup() {
    for (const char* file : {"scripts/setup", "scripts/common.sh", "cmake/Versions.cmake"}) {
      clone_.write(file, read_all(std::string(FORERUN_SOURCE_DIR "/") + file));
    }
    const std::string third_party = "build/third_party/";
    clone_.write(third_party + "tree-sitter-" + version_of("TREE_SITTER") +
                     "/tree_sitter/core/lib/src/lib.c",
                 "");
    clone_.write(
        third_party + "tree_sitter_python-" + version_of("TREE_SITTER_PYTHON") + "/src/parser.c",
        "");
    clone_.write("torch/lib/libtorch_cpu.so", "");
    clone_.write("torch/include/torch/csrc/api/include/torch/torch.h", "");
    program(
        "dpkg-query",
        "for p in \"$@\"; do case $p in -*|g++) ;; *) echo \"$p installed\" ;; esac; done; exit 1");
    program("apt-get", "echo \"apt-get $*\" >> " + log());
    program("sudo", "[ \"$1\" = -n ] && exit 1; exit 1");
    program("id", "echo 1000");
  }

  // "TREE_SITTER" -> "0.23.2", as cmake/Versions.cmake says.
  static std::string version_of(const std::string& name) {
    std::istringstream lines(read_all(FORERUN_SOURCE_DIR "/cmake/Versions.cmake"));
    const std::string start = "set(FORERUN_" + name + "_VERSION ";
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(start)) return line.substr(start.size(), line.find(')') - start.size());
    }
    return "?";
  }

  void program(const std::string& name, const std::string& body) {
    const std::string path = clone_.write("bin/" + name, "#!/bin/sh\n" + body + "\n");
    fs::permissions(path, fs::perms::owner_all);
  }
  std::string log() const { return clone_.path() + "/apt.log"; }

  CommandResult setup(const std::vector<std::string>& arguments = {}) {
    std::vector<std::string> argv{"env", "PATH=" + clone_.path() + "/bin:/usr/bin:/bin",
                                  "FORERUN_TORCH=" + clone_.path() + "/torch", "bash",
                                  clone_.path() + "/scripts/setup"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run_command(argv);
  }

  TemporaryFolder clone_;
};

TEST_F(Setup, SaysExactlyWhatToInstallWithoutRootOrSudo) {
  const CommandResult result = setup();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(
      result.err,
      HasSubstr("sudo apt-get update && sudo apt-get install --no-install-recommends g++\n"));
  EXPECT_FALSE(fs::exists(log()));
}

TEST_F(Setup, CheckInstallsNothing) {
  program("id", "echo 0");
  const CommandResult result = setup({"--check"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err,
              HasSubstr("  apt-get update && apt-get install --no-install-recommends g++\n"));
  EXPECT_FALSE(fs::exists(log()));
}

TEST_F(Setup, InstallsWhatIsMissingAsRoot) {
  program("id", "echo 0");
  const CommandResult result = setup();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(read_all(log()), HasSubstr("install -y --no-install-recommends g++\n"));
}

TEST_F(Setup, UsesSudoWhereItNeedsNoPassword) {
  program("sudo", "[ \"$1\" = -n ] && exit 0; exec \"$@\"");
  const CommandResult result = setup();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(read_all(log()), HasSubstr("install -y --no-install-recommends g++\n"));
}

TEST_F(Setup, AsksNoPackageManagerWhenNothingIsMissing) {
  program("dpkg-query",
          "for p in \"$@\"; do case $p in -*) ;; *) echo \"$p installed\" ;; esac; done");
  const CommandResult result = setup();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(fs::exists(log()));
  EXPECT_EQ(read_all(clone_.path() + "/build/setup/torch"), clone_.path() + "/torch\n");
}

TEST_F(Setup, RefusesATorchFolderThatHoldsNone) {
  program("dpkg-query",
          "for p in \"$@\"; do case $p in -*) ;; *) echo \"$p installed\" ;; esac; done");
  fs::remove(clone_.path() + "/torch/lib/libtorch_cpu.so");
  const CommandResult result = setup();
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("holds no LibTorch"));
  EXPECT_FALSE(fs::exists(clone_.path() + "/build/setup/torch"));
}

TEST_F(Setup, LeavesTorchOutWhenItIsNotWanted) {
  program("dpkg-query",
          "for p in \"$@\"; do case $p in -*) ;; *) echo \"$p installed\" ;; esac; done");
  fs::remove_all(clone_.path() + "/torch");
  const CommandResult result = setup({"--without-torch"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_FALSE(fs::exists(clone_.path() + "/build/setup/torch"));
}

TEST_F(Setup, RefusesAnUnknownOption) {
  const CommandResult result = setup({"--frobnicate"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "setup: error: unknown option '--frobnicate'; --help lists them\n");
}

}  // namespace
}  // namespace forerun::test
