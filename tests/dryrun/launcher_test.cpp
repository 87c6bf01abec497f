// forerun-dry-run through its command line, without PyTorch: what it refuses, and that a program's
// status is its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/support/golden.h"

namespace forerun::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The launcher needs a folder that looks like the emulator; a program that never asks for CUDA
// needs no more.
class Launcher : public ::testing::Test {
 protected:
  Launcher() { setenv("FORERUN_EMULATOR", folder_.path().c_str(), 1); }
  ~Launcher() override { unsetenv("FORERUN_EMULATOR"); }

  CommandResult run(std::vector<std::string> arguments, bool emulator = true) {
    if (emulator) folder_.write("libcudart.so.13", "");
    arguments.insert(arguments.begin(), FORERUN_BINARY_DIR "/bin/forerun-dry-run");
    return run_command(arguments);
  }
  CommandResult refused(const std::vector<std::string>& arguments) {
    CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    return result;
  }

  TemporaryFolder folder_;
};

TEST_F(Launcher, Help) {
  const CommandResult result = run({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("executes your program"));
  EXPECT_THAT(result.out, HasSubstr("--gpu"));
}

TEST_F(Launcher, RefusesWhatItCannotRun) {
  EXPECT_THAT(refused({}).err, HasSubstr("no program to run"));
  EXPECT_THAT(refused({"--gpu", "t4", "--"}).err, HasSubstr("no program to run"));
  EXPECT_THAT(refused({"--", ""}).err, HasSubstr("no program to run"));
  EXPECT_THAT(refused({"--gpu", "t44", "--", "true"}).err, HasSubstr("did you mean 't4'?"));
  EXPECT_THAT(refused({"--gpu", "--", "true"}).err, HasSubstr("error:"));
  EXPECT_THAT(refused({"--gppu", "t4", "--", "true"}).err, HasSubstr("--gpu"));
  EXPECT_THAT(refused({"--memory", "much", "--", "true"}).err, HasSubstr("--memory is 'much'"));
  EXPECT_THAT(refused({"--memory", "-1", "--", "true"}).err, HasSubstr("--memory"));
  EXPECT_THAT(refused({"--memory", "99999999999999GiB", "--", "true"}).err, HasSubstr("--memory"));
  EXPECT_THAT(refused({"--gpus", "0", "--", "true"}).err, HasSubstr("--gpus is 0"));
  EXPECT_THAT(refused({"--gpus", "17", "--", "true"}).err, HasSubstr("1 to 16"));
  EXPECT_THAT(refused({"true"}).err, HasSubstr("error:"));
  EXPECT_THAT(refused({"--", "/no/such/program"}).err,
              HasSubstr("cannot run '/no/such/program': No such file"));
  EXPECT_THAT(refused({"--", "/"}).err, HasSubstr("cannot run '/': Permission denied"));
}

TEST_F(Launcher, RefusesAProfileThatIsWrong) {
  const std::string path = folder_.write("gpu.json", "{\"multiprocessors\": 0}");
  EXPECT_THAT(refused({"--gpu", path, "--", "true"}).err, HasSubstr("gpu.json"));
}

TEST_F(Launcher, NeedsTheEmulator) {
  const CommandResult result = run({"--", "true"}, false);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("libcudart.so is not there"));
}

TEST_F(Launcher, StatusAndStreamsAreTheProgramsOwn) {
  // The folder's library is empty, which the loader says on standard error and goes on.
  const CommandResult result = run({"--", "sh", "-c", "echo from the program; exit 7"});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.out, "from the program\n");
  EXPECT_THAT(result.err, HasSubstr("executing your program, sh, on an emulated h100-sxm-80gb"));
  EXPECT_THAT(result.err, HasSubstr("sh ended with status 7"));
  EXPECT_THAT(result.err, HasSubstr("the program did not use the device"));
}

TEST_F(Launcher, SignalsAreReportedAsShellsDo) {
  EXPECT_EQ(run({"--", "sh", "-c", "kill -KILL $$"}).exit_code, 137);
  EXPECT_EQ(run({"--", "sh", "-c", "kill -TERM $PPID; sleep 20"}).exit_code, 143);
}

TEST_F(Launcher, InterruptIsTheProgramsAndStillReports) {
  const CommandResult result =
      run({"--", "sh", "-c", "trap 'exit 5' INT; kill -INT $PPID; kill -INT $$; sleep 20"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_THAT(result.err, HasSubstr("ended with status 5"));
}

TEST_F(Launcher, ASecondInterruptEndsTheProgramAndStillReports) {
  const CommandResult result =
      run({"--", "sh", "-c",
           "trap '' INT; kill -INT $PPID; sleep 0.2; kill -INT $PPID; exec sleep 20"});
  EXPECT_EQ(result.exit_code, 137);
  EXPECT_THAT(result.err, HasSubstr("ended with status 137"));
}

TEST_F(Launcher, RefusesOptionsThatCannotBeKept) {
  EXPECT_THAT(refused({"--format", "xml", "--", "true"}).err, HasSubstr("--format is 'xml'"));
  EXPECT_THAT(refused({"--stop-after-steps", "0", "--", "true"}).err, HasSubstr("1 or more"));
  EXPECT_THAT(refused({"--no-events", "--trace", "t.json", "--", "true"}).err,
              HasSubstr("--trace needs the log"));
  EXPECT_THAT(refused({"--output", "/no/such/folder/report", "--", "true"}).err,
              HasSubstr("--output cannot be written to '/no/such/folder/report': No such file"));
  EXPECT_THAT(refused({"--trace", folder_.path(), "--", "true"}).err, HasSubstr("names a folder"));
}

TEST_F(Launcher, TheReportGoesToAFile) {
  const std::string path = folder_.path() + "/report.json";
  const CommandResult result =
      run({"--format", "json", "--output", path, "--", "sh", "-c", "echo mine"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "mine\n");
  EXPECT_THAT(read_all(path), HasSubstr("\"tool\": \"forerun dry-run\""));
  EXPECT_THAT(result.err, Not(HasSubstr("did not use the device")));
}

TEST_F(Launcher, OptionsBehindTheDashesAreTheProgramsOwn) {
  const CommandResult result = run({"--gpu", "t4", "--", "echo", "--gpu", "nonsense", "--"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "--gpu nonsense --\n");
  EXPECT_THAT(result.err, HasSubstr("an emulated t4"));
}

}  // namespace
}  // namespace forerun::test
