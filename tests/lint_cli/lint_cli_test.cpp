// forerun-lint through its command line: what it prints where, and how it ends.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "core/files.h"
#include "tests/lint_cli/lint_command.h"

namespace forerun::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kHazard =
    "import torch\n"
    "import torch.nn.functional as F\n"
    "\n"
    "\n"
    "def fit(net, batches, opt):\n"
    "    total = 0.0\n"
    "    for x, y in batches:\n"
    "        loss = F.mse_loss(net(x), y)\n"
    "        loss.backward()\n"
    "        opt.step()\n"     // 10
    "        total += loss\n"  // 11
    "    return total\n";

constexpr const char* kClean = "import torch\n\n\ndef twice(x):\n    return 2 * x\n";

using LintCli = LintCommand;

TEST_F(LintCli, CleanIsZeroAndQuiet) {
  const CommandResult result = lint({folder_.write("clean.py", kClean)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("1 file checked: 0 errors, 0 warnings, 0 notes"));
}

TEST_F(LintCli, FindingsAreOneOnStandardOutput) {
  folder_.write("a.py", kHazard);
  const CommandResult result = lint_here("a.py");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out,
              StartsWith("a.py:10:9: error: gradients of this step are added to those of the steps "
                         "before [zero-grad-missing]\n"
                         "a.py:9:9: note: backward() adds to them here\n"
                         "a.py:7:5: note: the loop starts again here with the old gradients\n"
                         "help: call zero_grad() once per step, before backward()\n"));
  EXPECT_THAT(result.out,
              HasSubstr("a.py:11:9: warning: 'loss' is added to 'total' with its graph"));
  EXPECT_THAT(result.err, HasSubstr("1 error, 1 warning"));
}

constexpr const char* kKeepsGraphs =
    "import torch.nn.functional as F\n"
    "\n"
    "\n"
    "def fit(net, batches, opt):\n"
    "    total = 0.0\n"
    "    losses = []\n"
    "    for x, y in batches:\n"
    "        opt.zero_grad()\n"
    "        loss = F.mse_loss(net(x), y)\n"
    "        loss.backward()\n"
    "        opt.step()\n"
    "        total += loss\n"
    "        losses.append(loss)\n"
    "    return total, losses\n";

TEST_F(LintCli, DiffShowsWhatFixChanges) {
  const std::string path = folder_.write("keeps.py", kKeepsGraphs);
  const CommandResult shown = lint_here("--diff --select memory keeps.py");
  EXPECT_EQ(shown.exit_code, 1) << shown.err;
  EXPECT_EQ(shown.out,
            "--- keeps.py\n+++ keeps.py\n@@ -9,6 +9,6 @@\n"
            "         loss = F.mse_loss(net(x), y)\n"
            "         loss.backward()\n"
            "         opt.step()\n"
            "-        total += loss\n"
            "-        losses.append(loss)\n"
            "+        total += loss.detach()\n"
            "+        losses.append(loss.detach())\n"
            "     return total, losses\n");
  EXPECT_EQ(read_all(path), kKeepsGraphs);
  const CommandResult patched = run_command(
      {"sh", "-c", "cd '" + folder_.path() + "' && git apply -p0 --check -"}, shown.out, 60);
  EXPECT_EQ(patched.exit_code, 0) << patched.out << patched.err;
}

TEST_F(LintCli, FixMendsAndReportsTheRest) {
  const std::string path = folder_.write("keeps.py", kKeepsGraphs);
  const CommandResult fixed = lint_here("--fix --select memory keeps.py");
  EXPECT_EQ(fixed.exit_code, 0) << fixed.out;
  EXPECT_THAT(fixed.err, HasSubstr("2 mended"));
  EXPECT_THAT(read_all(path),
              HasSubstr("total += loss.detach()\n        losses.append(loss.detach())"));
  const CommandResult again = lint_here("--diff --select memory keeps.py");
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_EQ(again.out, "");
}

TEST_F(LintCli, FixLeavesWhatCannotBeWritten) {
  const CommandResult refused = lint({"--fix", "-"}, kKeepsGraphs);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--fix cannot change standard input"));
}

TEST_F(LintCli, JUnitIsXml) {
  folder_.write("keeps.py", kKeepsGraphs);
  const CommandResult result = lint_here("--format junit --select memory keeps.py");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "));
  EXPECT_THAT(result.out, HasSubstr("<testsuite name=\"keeps.py\" tests=\"2\" failures=\"2\""));
}

TEST_F(LintCli, LanguageServerAnswersAndEnds) {
  const auto message = [](const std::string& json) {
    return "Content-Length: " + std::to_string(json.size()) + "\r\n\r\n" + json;
  };
  const nlohmann::json open = {
      {"jsonrpc", "2.0"},
      {"method", "textDocument/didOpen"},
      {"params",
       {{"textDocument",
         {{"uri", "file://" + folder_.path() + "/train.py"}, {"version", 1}, {"text", kHazard}}}}}};
  const std::string talk =
      message(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}})") +
      message(open.dump()) + message(R"({"jsonrpc":"2.0","id":2,"method":"shutdown"})") +
      message(R"({"jsonrpc":"2.0","method":"exit"})");
  const CommandResult result = lint({"--lsp"}, talk);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\"code\":\"zero-grad-missing\""));
  EXPECT_EQ(lint({"--lsp"}, "nonsense\r\n\r\n").exit_code, 2);
  EXPECT_EQ(lint({"--lsp"}, "").exit_code, 1);
}

TEST_F(LintCli, NoFilesIsSuccess) {
  const CommandResult result = lint({});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out + result.err, "");
  EXPECT_EQ(nlohmann::json::parse(lint({"--format", "sarif"}).out)["runs"][0]["results"].size(),
            0u);
}

TEST_F(LintCli, FoldersAreWalked) {
  folder_.write("src/a.py", kHazard);
  folder_.write("src/deep/b.py", kHazard);
  folder_.write("src/.hidden/c.py", kHazard);
  folder_.write("src/build/d.py", kHazard);
  folder_.write("src/env1/pyvenv.cfg", "");
  folder_.write("src/env1/e.py", kHazard);
  folder_.write("src/notes.txt", "nothing");
  const CommandResult result = lint_here("src");
  EXPECT_THAT(result.err, HasSubstr("2 files checked"));
  EXPECT_THAT(result.out, HasSubstr("src/deep/b.py:10:9"));
  EXPECT_THAT(lint_here("src --exclude deep").err, HasSubstr("1 file checked"));
  EXPECT_THAT(lint_here("src/.hidden/c.py").err, HasSubstr("1 file checked"))
      << "a file that is named is taken";
}

TEST_F(LintCli, SameBytesForAnyNumberOfJobs) {
  for (int i = 0; i < 20; ++i) folder_.write("many/f" + std::to_string(i) + ".py", kHazard);
  const std::string one = lint_here("many --format json --jobs 1").out;
  EXPECT_EQ(lint_here("many --format json --jobs 7").out, one);
  EXPECT_THAT(one, Not(HasSubstr(folder_.path()))) << "no absolute path that was not given";
}

TEST_F(LintCli, StandardInput) {
  const CommandResult result = lint({"-", "--stdin-filename", "src/x.py"}, kHazard);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, StartsWith("src/x.py:10:9: error: "));
}

TEST_F(LintCli, OtherFilesAreCheckedWhenOneCannotBe) {
  folder_.write("a.py", kHazard);
  folder_.write("junk.py", std::string("\x7f"
                                       "ELF\0\0",
                                       6));
  const CommandResult result = lint_here("a.py junk.py missing.py data.bin");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, HasSubstr("a.py:10:9"));
  EXPECT_THAT(result.err, HasSubstr("junk.py: error: is not a text file in UTF-8"));
  EXPECT_THAT(result.err, HasSubstr("missing.py: error: no such file or folder"));
  folder_.write("data.bin", "x");
  EXPECT_THAT(lint_here("data.bin").err,
              HasSubstr("data.bin: error: is neither Python nor C++ by its name"));
  const auto json = nlohmann::json::parse(lint_here("a.py junk.py --format json").out);
  EXPECT_EQ(json["could_not_check"].size(), 1u);
  EXPECT_EQ(json["findings"].size(), 2u);
}

// GBK, as editors in China wrote it for long: compilers take it, in comments and in literals.
TEST_F(LintCli, CppThatIsNotUtf8IsChecked) {
  folder_.write("a.cpp",
                "#include <torch/torch.h>\n"
                "// \xd6\xd0\xce\xc4\n"
                "void f() {\n"
                "  const char* s = \"\xd6\xd0\"; torch::NoGradGuard();  // \xce\xc4\n"
                "}\n");
  // Our own declarations of the API: no LibTorch, and seconds.
  const std::string command =
      "a.cpp --cache-dir kept --torch '" FORERUN_SOURCE_DIR "/analyzer/cpp/headers' ";
  const CommandResult text = lint_here(command);
  EXPECT_EQ(text.exit_code, 1) << text.err;
  EXPECT_THAT(text.out, StartsWith("a.cpp:4:25: "));
  EXPECT_THAT(text.err, HasSubstr("a.cpp: is not in UTF-8: checked all the same"));
  for (const char* format : {"json", "sarif", "gitlab"}) {
    const CommandResult result = lint_here(command + "--format " + format);
    EXPECT_EQ(result.exit_code, 1) << format << result.err;
    EXPECT_TRUE(nlohmann::json::accept(result.out)) << format;
  }
  EXPECT_EQ(lint_here(command + "--baseline b.json --update-baseline").exit_code, 0);
  EXPECT_EQ(lint_here(command + "--baseline b.json").exit_code, 0);
}

// Names of files are bytes too, and every format has them.
TEST_F(LintCli, WritersReplaceWhatIsNotUtf8) {
  const std::string name = "\xd6\xd0.py";
  folder_.write(name, kHazard);
  for (const char* format : {"json", "sarif", "gitlab", "junit", "github", "text"}) {
    const CommandResult result = lint_here("'" + name + "' --format " + format);
    EXPECT_EQ(result.exit_code, 1) << format << result.err;
    EXPECT_THAT(result.out, Not(HasSubstr("\xd6\xd0"))) << format;
    EXPECT_FALSE(is_binary(result.out)) << format;
  }
  const CommandResult kept = lint_here("'" + name + "' --baseline b.json --update-baseline");
  EXPECT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_EQ(lint_here("'" + name + "' --baseline b.json").exit_code, 0);
}

TEST_F(LintCli, OtherEncodingsOfPythonAndBinaryCppAreRefused) {
  folder_.write("a.py", "# coding: gbk\n# \xd6\xd0\n");
  folder_.write("b.cpp", std::string("int x;\0", 7));
  const CommandResult python = lint_here("a.py");
  EXPECT_EQ(python.exit_code, 2);
  EXPECT_THAT(python.err, HasSubstr("a.py: error: is not a text file in UTF-8"));
  EXPECT_THAT(python.err, HasSubstr("save it as UTF-8"));
  const CommandResult cpp = lint_here("b.cpp -- -std=c++17");
  EXPECT_EQ(cpp.exit_code, 2);
  EXPECT_THAT(cpp.err, HasSubstr("b.cpp: error: is not a text file: it holds a NUL byte"));
}

// A header may need what its includer defined before it; met in a folder it is no reason to fail.
TEST_F(LintCli, HeadersThatDoNotStandAloneAreNoted) {
  folder_.write("src/half.h", "#include \"nowhere/at_all.h\"\nint f();\n");
  const CommandResult walked = lint_here("src -- -std=c++20");
  EXPECT_EQ(walked.exit_code, 0) << walked.err;
  EXPECT_THAT(walked.err, HasSubstr("src/half.h: not checked by itself: "));
  EXPECT_EQ(lint_here("src/half.h -- -std=c++20").exit_code, 2)
      << "named, it is what was asked for";
}

TEST_F(LintCli, UnreadableFile) {
  const std::string path = folder_.write("locked.py", kClean);
  std::filesystem::permissions(path, std::filesystem::perms::none);
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  EXPECT_EQ(lint({path}).exit_code, 2);
}

TEST_F(LintCli, SelectionOnTheCommandLine) {
  folder_.write("a.py", kHazard);
  EXPECT_THAT(lint_here("a.py --select memory").out, Not(HasSubstr("zero-grad-missing")));
  EXPECT_THAT(lint_here("a.py --ignore 'graph-*'").out, Not(HasSubstr("graph-kept")));
  EXPECT_EQ(lint_here("a.py --select memory,gradient --severity all=note").exit_code, 0);
  EXPECT_EQ(lint_here("a.py --select memory --fail-on error").exit_code, 0);
  EXPECT_EQ(lint_here("a.py --fail-on never").exit_code, 0);
  EXPECT_EQ(lint_here("a.py --per-file-ignores 'a.*:all'").out, "");
  const CommandResult wrong = lint_here("a.py --select zero-grad-mising");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(
      wrong.err,
      HasSubstr("no rule matches 'zero-grad-mising'\nhelp: did you mean 'zero-grad-missing'?"));
  for (const char* bad :
       {"--severity memory", "--severity memory=loud", "--per-file-ignores a.py", "--jobs 0",
        "--jobs many", "--format xml", "--fail-on all", "--update-baseline"}) {
    const CommandResult refused = lint_here(std::string("a.py ") + bad);
    EXPECT_EQ(refused.exit_code, 2) << bad;
    EXPECT_EQ(refused.out, "") << bad;
  }
}

TEST_F(LintCli, Configuration) {
  folder_.write("src/a.py", kHazard);
  folder_.write("forerun.toml", "[lint]\nselect = ['memory']\n");
  EXPECT_THAT(lint_here("src").out, Not(HasSubstr("zero-grad-missing")));
  EXPECT_THAT(lint_here("src --isolated").out, HasSubstr("zero-grad-missing"));
  EXPECT_THAT(lint_here("src --select gradient").out, HasSubstr("zero-grad-missing"));
  folder_.write("other.toml", "exclude = ['src']\n");
  EXPECT_EQ(lint_here("src --config other.toml").out, "");
  folder_.write("forerun.toml", "[lint]\nselct = ['memory']\n");
  const CommandResult broken = lint_here("src");
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_EQ(broken.out, "");
  EXPECT_THAT(broken.err, HasSubstr("forerun.toml:2:1: error: unknown key 'selct'"));
  EXPECT_EQ(lint_here("src --config nowhere.toml").exit_code, 2);
}

TEST_F(LintCli, SuppressionsInTheText) {
  std::string text = kHazard;
  text.replace(text.find("opt.step()"), 10, "opt.step()  # noqa: zero-grad-missing");
  text.replace(text.find("total += loss"), 13, "total += loss  # forerun: ignore[memory]");
  folder_.write("a.py", text);
  const CommandResult result = lint_here("a.py");
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.err, HasSubstr("2 suppressed"));
  folder_.write("b.py", "x = 1  # forerun: ignore[zero-grad-missing]\n");
  EXPECT_THAT(lint_here("b.py").out, HasSubstr("b.py:1:"));
  EXPECT_THAT(lint_here("b.py").out, HasSubstr("[unused-suppression]"));
}

TEST_F(LintCli, BaselineHoldsOldFindings) {
  folder_.write("a.py", kHazard);
  EXPECT_EQ(lint_here("a.py --baseline known.json --update-baseline").exit_code, 0);
  EXPECT_EQ(lint_here("a.py --baseline known.json").exit_code, 0);
  folder_.write("a.py", std::string("# moved\n") + kHazard +
                            "\n\ndef again(net, batches, opt):\n    seen = []\n    for x, y in "
                            "batches:\n        opt.zero_grad()\n"
                            "        loss = F.mse_loss(net(x), y)\n        loss.backward()\n       "
                            " opt.step()\n        seen.append(loss)\n");
  const CommandResult later = lint_here("a.py --baseline known.json");
  EXPECT_EQ(later.exit_code, 1);
  EXPECT_THAT(later.out, HasSubstr("graph-kept-container"));
  EXPECT_THAT(later.out, Not(HasSubstr("zero-grad-missing")));
  EXPECT_THAT(later.err, HasSubstr("2 in the baseline"));
  folder_.write("a.py", kClean);
  EXPECT_THAT(lint_here("a.py --baseline known.json").err,
              HasSubstr("2 findings of the baseline are mended"));
}

TEST_F(LintCli, FormatsAndOutput) {
  folder_.write("a.py", kHazard);
  EXPECT_EQ(
      nlohmann::json::parse(lint_here("a.py --format sarif").out)["runs"][0]["results"].size(), 2u);
  EXPECT_THAT(lint_here("a.py --format github").out, StartsWith("::error file=a.py,line=10,"));
  const auto gitlab = nlohmann::json::parse(lint_here("./a.py --format gitlab").out);
  ASSERT_EQ(gitlab.size(), 2u);
  EXPECT_EQ(gitlab[0]["severity"], "critical");
  EXPECT_EQ(gitlab[0]["location"], (nlohmann::json{{"path", "a.py"}, {"lines", {{"begin", 10}}}}));
  EXPECT_NE(gitlab[0]["fingerprint"], gitlab[1]["fingerprint"]);
  EXPECT_EQ(lint_here("--format gitlab").out, "[]\n");
  EXPECT_THAT(lint_here("a.py --statistics").out, HasSubstr("     1  zero-grad-missing\n"));
  const CommandResult written = lint_here("a.py --format json --output report.json");
  EXPECT_EQ(written.exit_code, 1);
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(nlohmann::json::parse(read_all(folder_.path() + "/report.json"))["findings"].size(),
            2u);
  EXPECT_EQ(lint_here("a.py --output nowhere/report.txt").exit_code, 2);
  EXPECT_THAT(lint_here("a.py", "TERM=xterm").out, Not(HasSubstr("\033[")))
      << "no colour but on a terminal";
}

TEST_F(LintCli, PrintsWhatRulesSee) {
  folder_.write("a.py", kHazard);
  const CommandResult result = lint_here("a.py --print-ir");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(
      result.out,
      HasSubstr("function fit (net, batches, opt)\n  total = 0.0\n  loop x, y in batches\n"));
}

// A rule added, an old project recorded, a line silenced, findings mended, SARIF, an editor.
TEST_F(LintCli, AUsersDay) {
  const CommandResult day = run_command(
      {FORERUN_SOURCE_DIR "/scripts/check_users_day", "--build", FORERUN_BINARY_DIR}, {}, 120);
  EXPECT_EQ(day.exit_code, 0) << day.out << day.err;
}

TEST_F(LintCli, SpeaksOfItsRules) {
  EXPECT_THAT(lint({"--list-rules"}).out, HasSubstr("zero-grad-missing"));
  EXPECT_THAT(lint({"--explain", "zero-grad-missing"}).out, StartsWith("# "));
  EXPECT_THAT(lint({"--explain", ""}).out, HasSubstr("zero-grad-missing\n"));
  EXPECT_THAT(lint({"--version"}).out, StartsWith("forerun "));
  EXPECT_THAT(lint({"--help"}).out, HasSubstr("--baseline FILE"));
  const CommandResult unknown = lint({"--explain", "zero-grad"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_EQ(unknown.out, "");
}

}  // namespace
}  // namespace forerun::test
