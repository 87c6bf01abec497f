// Every fix: the program that comes out lints clean of the finding, still parses, and what only
// looks like the text a fix expects is left alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lint_cli/lint_command.h"

namespace forerun::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LintFixes : public LintCommand {
 protected:
  // The text after `--fix`; the rule finds nothing in it, and no syntax error was made.
  std::string mended(const std::string& rule, const std::string& text) {
    const std::string path = folder_.write("a.py", text);
    EXPECT_THAT(lint_here("a.py --select " + rule).out, HasSubstr("[" + rule + "]"));
    const CommandResult fixed = lint_here("a.py --fix --select " + rule);
    EXPECT_EQ(fixed.exit_code, 0) << fixed.out;
    EXPECT_THAT(fixed.err, HasSubstr(" mended"));
    EXPECT_THAT(fixed.err, Not(HasSubstr("syntax error")));
    EXPECT_EQ(lint_here("a.py --select " + rule).out, "");
    return read_all(path);
  }
  // Found, and left to its author.
  void left(const std::string& rule, const std::string& text) {
    folder_.write("a.py", text);
    EXPECT_THAT(lint_here("a.py --select " + rule).out, HasSubstr("[" + rule + "]")) << text;
    EXPECT_EQ(lint_here("a.py --diff --select " + rule).out, "");
  }
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

constexpr const char* kLoop =
    "import torch\n"
    "import torch.nn.functional as F\n"
    "\n"
    "\n"
    "def fit(net, batches, opt, device):\n"
    "    for x, y in batches:\n"
    "        opt.zero_grad()\n"
    "        loss = F.mse_loss(net(x), y)\n"
    "        loss.backward()\n"
    "        opt.step()\n";

TEST_F(LintFixes, RetainedGraph) {
  const std::string bad = replaced(kLoop, "backward()", "backward(retain_graph=True)");
  EXPECT_EQ(mended("retain-graph-in-loop", bad), kLoop);
  left("retain-graph-in-loop", replaced(kLoop, "backward()", "backward(None, True)"));
  left("retain-graph-in-loop", replaced(kLoop, "backward()", "backward(retain_graph = True)"));
  left("retain-graph-in-loop", replaced(kLoop, "backward()", "backward(retain_graph=True,)"));
}

TEST_F(LintFixes, GraphOfGradients) {
  const std::string bad = replaced(kLoop, "backward()", "backward(create_graph=True)");
  EXPECT_EQ(mended("create-graph-backward", bad), kLoop);
}

TEST_F(LintFixes, AnomalyMode) {
  const std::string bad =
      replaced(kLoop, "\n\n\ndef", "\n\ntorch.autograd.set_detect_anomaly(True)\n\n\ndef");
  EXPECT_THAT(mended("anomaly-mode-left-on", bad),
              HasSubstr("\ntorch.autograd.set_detect_anomaly(False)\n"));
}

TEST_F(LintFixes, LostResult) {
  const std::string bad = replaced(kLoop, "opt.zero_grad()", "x.to(device)");
  EXPECT_EQ(mended("discarded-tensor-result", bad), replaced(bad, "x.to", "x = x.to"));
  left("discarded-tensor-result", replaced(kLoop, "opt.zero_grad()", "x .to(device)"));
}

// An assignment would make a local of the name that the function reads from outside.
TEST_F(LintFixes, LostResultOfAnOutsideName) {
  const std::string bad =
      "import torch\n\nx = torch.ones(3)\n\n\ndef move(device):\n    x.to(device)\n    return x + "
      "1\n";
  left("discarded-tensor-result", bad);
}

TEST_F(LintFixes, LoadOfWeights) {
  const std::string bad = "import torch\n\n\ndef get(path):\n    return torch.load(path)\n";
  EXPECT_EQ(mended("load-untrusted", bad),
            replaced(bad, "(path)\n", "(path, weights_only=True)\n"));
  EXPECT_THAT(
      mended("load-untrusted", replaced(bad, "load(path)", "load(path, map_location='cpu')")),
      HasSubstr("load(path, map_location='cpu', weights_only=True)"));
  for (const char* spelled :
       {"load(path,)", "load( path)", "load(path,map_location='cpu',)", "load(\n        path)"}) {
    left("load-untrusted", replaced(bad, "load(path)", spelled));
  }
}

TEST_F(LintFixes, StateWithoutItsCall) {
  const std::string bad =
      "import torch\n\n\ndef put(model, path):\n    torch.save(model.state_dict, path)\n";
  EXPECT_EQ(mended("save-without-call", bad), replaced(bad, "state_dict,", "state_dict(),"));
  left("save-without-call", replaced(bad, "save(", "save( "));
}

// A file is mended whole: five mistakes, one command.
TEST_F(LintFixes, FiveAtOnce) {
  const std::string path = folder_.write("a.py",
                                         "import torch\nimport torch.nn.functional as "
                                         "F\n\ntorch.autograd.set_detect_anomaly(True)\n\n\n"
                                         "def fit(net, batches, opt, device, path):\n"
                                         "    total = 0.0\n"
                                         "    for x, y in batches:\n"
                                         "        opt.zero_grad()\n"
                                         "        y.to(device)\n"
                                         "        loss = F.mse_loss(net(x), y)\n"
                                         "        loss.backward(retain_graph=True)\n"
                                         "        opt.step()\n"
                                         "        total += loss\n"
                                         "    torch.save(net.state_dict, path)\n"
                                         "    return total\n");
  const CommandResult fixed = lint_here("a.py --fix");
  EXPECT_EQ(fixed.exit_code, 0) << fixed.out;
  EXPECT_THAT(fixed.err, HasSubstr("5 mended"));
  EXPECT_EQ(read_all(path),
            "import torch\nimport torch.nn.functional as F\n\n"
            "torch.autograd.set_detect_anomaly(False)\n\n\n"
            "def fit(net, batches, opt, device, path):\n"
            "    total = 0.0\n"
            "    for x, y in batches:\n"
            "        opt.zero_grad()\n"
            "        y = y.to(device)\n"
            "        loss = F.mse_loss(net(x), y)\n"
            "        loss.backward()\n"
            "        opt.step()\n"
            "        total += loss.detach()\n"
            "    torch.save(net.state_dict(), path)\n"
            "    return total\n");
}

}  // namespace
}  // namespace forerun::test
