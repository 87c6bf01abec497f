// What a tool that takes a spec does with a bad one; the same for the estimator and the verifier.
#pragma once

#include <ostream>

#include "tests/cli/bad_inputs.h"

namespace forerun::test {

struct SpecTool {
  std::string program;
  std::vector<std::string> options;  // after the spec

  friend std::ostream& operator<<(std::ostream& out, const SpecTool& tool) {
    return out << tool.program;
  }
};

class SpecErrors : public ::testing::TestWithParam<SpecTool> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(tool(GetParam().program)))
      GTEST_SKIP() << GetParam().program << " is not built here";
  }
  std::vector<std::string> command(const std::string& spec,
                                   const std::vector<std::string>& more = {}) const {
    std::vector<std::string> argv{tool(GetParam().program), spec};
    argv.insert(argv.end(), GetParam().options.begin(), GetParam().options.end());
    argv.insert(argv.end(), more.begin(), more.end());
    return argv;
  }
  void expect_bad(const std::string& text, const std::string& mentions) {
    const std::string path = folder_.write("spec.yaml", text);
    expect_refused(run_tool(command(path)), mentions);
  }
  TemporaryFolder folder_;
};

TEST_P(SpecErrors, MissingFile) {
  const std::string path = folder_.path() + "/no.yaml";
  expect_refused(run_tool(command(path)), path + ": error: cannot open: No such file or directory");
}

TEST_P(SpecErrors, NoFileAtAll) {
  std::vector<std::string> argv = command("x");
  argv.erase(argv.begin() + 1);
  expect_refused(run_tool(argv), "spec");
}

TEST_P(SpecErrors, DirectoryInsteadOfFile) {
  expect_refused(run_tool(command(folder_.path())), folder_.path() + ": error: is a directory");
}

TEST_P(SpecErrors, EmptyFile) { expect_bad("", "spec.yaml"); }
TEST_P(SpecErrors, OnlyAComment) { expect_bad("# nothing\n\n", "spec.yaml"); }
TEST_P(SpecErrors, BrokenYaml) { expect_bad("model: [linear: {in: 4\ninput: ]", "spec.yaml:"); }
TEST_P(SpecErrors, BrokenJson) { expect_bad("{\"model\": [\"relu\", ", "spec.yaml:"); }
TEST_P(SpecErrors, BinaryJunk) { expect_bad(junk(), "spec.yaml"); }
TEST_P(SpecErrors, ANulByteInTheMiddle) {
  expect_bad(std::string(kGoodSpec) + std::string("\0x: 1\n", 6), "spec.yaml");
}
TEST_P(SpecErrors, AScalarInsteadOfAMapping) { expect_bad("42\n", "spec.yaml:1:1: error: "); }
TEST_P(SpecErrors, UnknownKey) {
  expect_bad(std::string(kGoodSpec) + "precison: fp32\n", "spec.yaml:9:1: error: ");
}
TEST_P(SpecErrors, WrongType) {
  expect_bad(std::string(kGoodSpec) + "epochs: many\n", "spec.yaml:9:9: error: ");
}
TEST_P(SpecErrors, TheSameKeyTwice) {
  expect_bad(std::string(kGoodSpec) + "batch_size: 8\n", "spec.yaml:9:1: error: ");
}
TEST_P(SpecErrors, MoreThan64Bits) {
  expect_bad(std::string(kGoodSpec) + "epochs: 99999999999999999999\n", "spec.yaml:9:9: error: ");
}

TEST_P(SpecErrors, AProductOfMoreThan64Bits) {
  expect_bad(
      "model: [{linear: {in: 9000000000000000000, out: 9000000000000000000}}]\ninput: {shape: "
      "[9000000000000000000]}\n"
      "target: {shape: [], dtype: int64}\nbatch_size: 9000000000000000000\n",
      "spec.yaml:");
}

TEST_P(SpecErrors, NestedTooDeeply) {
  std::string text = "model: ";
  for (int i = 0; i < 20'000; ++i) text += "[";
  expect_bad(text, "spec.yaml");
}

TEST_P(SpecErrors, AliasesThatMultiply) {
  std::string text = "a: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    std::string before = "*a";
    before += std::to_string(i - 1);
    const std::string number = std::to_string(i);
    text.append("b").append(number).append(": &a").append(number).append(" [").append(before);
    for (int k = 0; k < 9; ++k) text.append(",").append(before);
    text += "]\n";
  }
  expect_bad(text + "model: *a11\n", "spec.yaml");
}

TEST_P(SpecErrors, AFileOf10GB) {
  const auto start = std::chrono::steady_clock::now();
  expect_refused(run_tool(command(sparse_file(folder_, "huge.yaml"))),
                 "file is too large: 10000000000 bytes");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_P(SpecErrors, AfterThatLeadsBackToItself) {
  expect_bad(std::string(kGoodSpec) + "after: spec.yaml\n", "spec.yaml");
}

TEST_P(SpecErrors, UnknownOption) {
  expect_refused(run_tool(command("x.yaml", {"--fromat", "json"})), "unknown option '--fromat'");
}

TEST_P(SpecErrors, OutputThatCannotBeWritten) {
  const std::string spec = folder_.write("spec.yaml", kGoodSpec);
  expect_refused(run_tool(command(spec, {"--output", folder_.path() + "/no/report.txt"})),
                 "report.txt: error: cannot write: ");
  expect_refused(run_tool(command(spec, {"--output", folder_.path()})),
                 folder_.path() + ": error: cannot write: is a directory");
  expect_refused(run_tool(command(spec, {"--output", "/dev/full"})),
                 "/dev/full: error: cannot write: No space left on device");
  EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"spec.yaml"});
}

TEST_P(SpecErrors, StandardOutputThatIsFull) {
  const std::string spec = folder_.write("spec.yaml", kGoodSpec);
  std::string line = "exec \"$@\" > /dev/full";
  std::vector<std::string> argv{"sh", "-c", line, "sh"};
  for (const std::string& word : command(spec)) argv.push_back(word);
  expect_refused(run_tool(argv), "cannot write to standard output");
}

TEST_P(SpecErrors, AnInterruptLeavesAWholeFile) {
  const std::string spec = folder_.write("spec.yaml", kGoodSpec);
  folder_.write("report.json", "old");
  const std::vector<std::string> argv =
      command(spec, {"--format", "json", "--output", folder_.path() + "/report.json"});
  const auto start = std::chrono::steady_clock::now();
  const CommandResult whole = run_tool(argv);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  ASSERT_NE(whole.exit_code, 2) << whole.err;
  folder_.write("report.json", "old");
  expect_interrupt_leaves_a_whole_file(argv, folder_.path(), "report.json", "old",
                                       took.count() * 1.1);
}

}  // namespace forerun::test
