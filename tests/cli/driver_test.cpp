// The forerun driver, beside tools that are small scripts, so that what is tested is the driver
// alone.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace forerun::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Driver : public ::testing::Test {
 protected:
  Driver() { fs::copy_file(FORERUN_BINARY_DIR "/bin/forerun", folder_.path() + "/forerun"); }

  void tool(const std::string& name, const std::string& body) {
    const std::string path = folder_.write(name, "#!/bin/sh\n" + body + "\n");
    fs::permissions(path, fs::perms::owner_all);
  }

  CommandResult forerun(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), folder_.path() + "/forerun");
    return run_command(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(Driver, BecomesTheToolWithItsArgumentsAndItsStatus) {
  tool("forerun-lint", "printf '%s|' \"$@\"; exit 7");
  const CommandResult result = forerun({"lint", "a b", "--", "-I", ""});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.out, "a b|--|-I||");
}

TEST_F(Driver, DiesOfTheToolsSignal) {
  tool("forerun-estimate", "kill -TERM $$");
  EXPECT_EQ(forerun({"estimate", "x"}).exit_code, 128 + 15);
}

TEST_F(Driver, FindsTheToolsThroughASymbolicLink) {
  tool("forerun-lint", "echo found");
  fs::create_directory(folder_.path() + "/elsewhere");
  fs::create_symlink("../forerun", folder_.path() + "/elsewhere/forerun");
  EXPECT_EQ(run_command({folder_.path() + "/elsewhere/forerun", "lint"}).out, "found\n");
}

TEST_F(Driver, ProbeIsACommandOfVerify) {
  tool("forerun-verify", "echo \"$@\"");
  EXPECT_EQ(forerun({"probe", "--device", "cpu"}).out, "probe --device cpu\n");
}

TEST_F(Driver, HelpOfACommandIsTheToolsOwn) {
  tool("forerun-lint", "echo \"$@\"");
  EXPECT_EQ(forerun({"help", "lint"}).out, "--help\n");
  EXPECT_THAT(forerun({"help"}).out, StartsWith("forerun: "));
  EXPECT_EQ(forerun({"--help"}).out, forerun({"help"}).out);
  EXPECT_THAT(forerun({"help", "doctor"}).out, StartsWith("forerun doctor: "));
}

TEST_F(Driver, SaysItsVersion) {
  const CommandResult result = forerun({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, ::testing::MatchesRegex("forerun [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST_F(Driver, NamesTheNearestCommand) {
  const CommandResult result = forerun({"estimte"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, StartsWith("forerun: error: 'estimte' is not a forerun command\n"
                                     "help: did you mean 'estimate'?"));
}

TEST_F(Driver, NeedsACommand) {
  const CommandResult result = forerun({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "forerun: error: no command\nhelp: forerun help lists them\n");
}

TEST_F(Driver, SaysThatAToolIsNotThere) {
  const CommandResult result = forerun({"verify", "x.yaml"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err,
              StartsWith("forerun: error: forerun-verify is not beside forerun\nhelp: "));
}

TEST_F(Driver, SaysThatAToolCannotBeRun) {
  folder_.write("forerun-lint", "no program");
  const CommandResult result = forerun({"lint"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("forerun-lint: Permission denied\n"));
}

TEST_F(Driver, ExplainAsksEachToolThatHasPages) {
  tool("forerun-lint",
       "[ \"$2\" = a-rule ] && { echo 'page of a rule'; exit 0; }; [ -z \"$2\" ] && echo a-rule && "
       "exit 0; exit 2");
  tool("forerun-estimate",
       "[ \"$2\" = linear ] && { echo 'page of a layer'; exit 0; }; [ -z \"$2\" ] && echo linear "
       "&& exit 0; exit 2");
  EXPECT_EQ(forerun({"explain", "a-rule"}).out, "page of a rule\n");
  EXPECT_EQ(forerun({"explain", "linear"}).out, "page of a layer\n");
  EXPECT_EQ(forerun({"explain"}).out, "a-rule\nlinear\n");
  const CommandResult unknown = forerun({"explain", "linaer"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err,
              StartsWith("forerun explain: error: no rule, layer or GPU is called 'linaer'\n"
                         "help: did you mean 'linear'?"));
}

TEST_F(Driver, DoctorReportsToolsThatDoNotStart) {
  tool("forerun-lint", "exit 0");
  tool("forerun-verify", "exit 127");
  const CommandResult result = forerun({"doctor"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("\n  lint      ready    "));
  EXPECT_THAT(result.out, HasSubstr("\n  estimate  missing  "));
  EXPECT_THAT(result.out, HasSubstr("\n  verify    missing  "));
  EXPECT_THAT(result.out, HasSubstr("ends with status 127"));
  EXPECT_THAT(result.out, HasSubstr("\n  CUDA      "));
}

TEST_F(Driver, EndsQuietlyWhenNobodyReads) {
  const CommandResult result =
      run_command({"sh", "-c", folder_.path() + "/forerun help | head -c 1"});
  EXPECT_EQ(result.out, "f");
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace forerun::test
