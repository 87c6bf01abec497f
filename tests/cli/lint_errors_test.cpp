// What the analyzer does with inputs that are wrong.
#include "tests/cli/bad_inputs.h"

namespace forerun::test {
namespace {

class LintErrors : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(tool("forerun-lint")))
      GTEST_SKIP() << "forerun-lint is not built here";
  }
  CommandResult lint(const std::vector<std::string>& arguments) {
    std::vector<std::string> argv{tool("forerun-lint")};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run_tool(argv);
  }
  std::string good() { return folder_.write("good.py", "import torch\n\nprint(torch.ones(1))\n"); }
  TemporaryFolder folder_;
};

TEST_F(LintErrors, MissingFile) {
  for (const char* name : {"/no.py", "/no.cpp", "/no/folder"}) {
    expect_refused(lint({folder_.path() + name}), folder_.path() + name);
  }
}

TEST_F(LintErrors, BinaryJunk) {
  expect_refused(lint({folder_.write("junk.py", junk())}), "junk.py");
  expect_refused(lint({folder_.write("junk.cpp", junk()), "--", "-std=c++20"}), "junk.cpp");
}

TEST_F(LintErrors, AFileOf10GB) {
  const auto start = std::chrono::steady_clock::now();
  expect_refused(lint({sparse_file(folder_, "huge.py")}), "huge.py");
  expect_refused(lint({sparse_file(folder_, "huge.cpp"), "--", "-std=c++20"}), "huge.cpp");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(LintErrors, TruncatedCompileCommands) {
  const std::string source = folder_.write("a.cpp", "int main() {}\n");
  const std::string whole = "[{\"directory\": \"" + folder_.path() +
                            "\", \"file\": \"a.cpp\", \"command\": \"c++ -c a.cpp\"}]";
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
    folder_.write("build/compile_commands.json", whole.substr(0, length));
    expect_refused(lint({"-p", folder_.path() + "/build", source}), "compile_commands.json");
  }
}

TEST_F(LintErrors, ABuildFolderWithoutCompileCommands) {
  const std::string source = folder_.write("a.cpp", "int main() {}\n");
  expect_refused(lint({"-p", folder_.path() + "/no", source}), folder_.path() + "/no");
  expect_refused(lint({"-p", source, source}), source);
}

TEST_F(LintErrors, BrokenConfiguration) {
  const std::string source = good();
  folder_.write("forerun.toml", "[lint\nselect = ");
  expect_refused(lint({source}), "forerun.toml:");
  folder_.write("forerun.toml", junk());
  expect_refused(lint({source}), "forerun.toml");
}

TEST_F(LintErrors, BrokenBaseline) {
  const std::string source = good();
  expect_refused(lint({source, "--baseline", folder_.path() + "/no.json"}), "no.json");
  expect_refused(lint({source, "--baseline", folder_.write("cut.json", "{\"findings\": [")}),
                 "cut.json");
  expect_refused(lint({source, "--baseline", folder_.path()}), "is a directory");
}

TEST_F(LintErrors, UnknownWords) {
  expect_refused(lint({good(), "--fromat", "json"}), "unknown option '--fromat'");
  expect_refused(lint({good(), "--format", "jsno"}), "jsno");
  expect_refused(lint({good(), "--select", "zero-grad-mising"}), "zero-grad-mising");
  expect_refused(lint({good(), "--fail-on", "everything"}), "everything");
}

TEST_F(LintErrors, OutputThatCannotBeWritten) {
  const std::string source = good();
  expect_refused(lint({source, "--output", folder_.path() + "/no/out.txt"}),
                 "out.txt: error: cannot write: ");
  expect_refused(lint({source, "--output", folder_.path()}),
                 folder_.path() + ": error: cannot write: is a directory");
  expect_refused(lint({source, "--format", "json", "--output", "/dev/full"}),
                 "/dev/full: error: cannot write: ");
  EXPECT_EQ(names_in(folder_.path()), std::vector<std::string>{"good.py"});
}

TEST_F(LintErrors, StandardOutputThatIsFull) {
  const std::string command = tool("forerun-lint") + " --format json " + good() + " > /dev/full";
  expect_refused(run_tool({"sh", "-c", command}), "cannot write to standard output");
}

TEST_F(LintErrors, AnInterruptLeavesAWholeFile) {
  const std::string source = good();
  folder_.write("out.json", "old");
  expect_interrupt_leaves_a_whole_file(
      {tool("forerun-lint"), "--format", "json", "--output", folder_.path() + "/out.json", source},
      folder_.path(), "out.json", "old", 0.05);
}

// Not wrong: an empty program has nothing in it to find, and a list of no files is what pre-commit
// may pass.
TEST_F(LintErrors, EmptyInputIsClean) {
  const CommandResult python = lint({folder_.write("empty.py", "")});
  EXPECT_EQ(python.exit_code, 0) << python.err;
  const CommandResult cpp = lint({folder_.write("empty.cpp", ""), "--", "-std=c++20"});
  EXPECT_EQ(cpp.exit_code, 0) << cpp.err;
  EXPECT_EQ(lint({}).exit_code, 0);
}

// Neither is a program that does not parse: what was read is judged, and the error is said.
TEST_F(LintErrors, PythonThatDoesNotParse) {
  const CommandResult result =
      lint({folder_.write("broken.py", "import torch\ndef f(:\n  return ((\n")});
  EXPECT_NE(result.exit_code, 1) << result.out;
  EXPECT_LT(result.exit_code, 3) << result.err;
  EXPECT_THAT(result.out + result.err, ::testing::HasSubstr("broken.py"));
}

TEST_F(LintErrors, NestedTooDeeply) {
  for (const char* name : {"deep.py", "deep.cpp"}) {
    const bool python = std::string(name) == "deep.py";
    std::string text = python ? "x = " : "int x = ";
    text += std::string(50'000, '(') + "1" + std::string(50'000, ')') + (python ? "\n" : ";\n");
    const CommandResult result = lint({folder_.write(name, text), "--", "-std=c++20"});
    EXPECT_LT(result.exit_code, 3) << name << ": " << result.err.substr(0, 400);
  }
}

}  // namespace
}  // namespace forerun::test
