// Python files that import each other, checked by one command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lint_cli/lint_command.h"

namespace forerun::test {
namespace {

using testing::HasSubstr;

class LintPackages : public LintCommand {
 protected:
  void SetUp() override {
    LintCommand::SetUp();
    folder_.write("lib/__init__.py", "from .engine import train, evaluate\n");
    folder_.write("lib/engine.py", engine("model.eval()\n"));
    folder_.write("main.py",
                  "import torch\n"
                  "from lib import train, evaluate\n"
                  "def main(loader):\n"
                  "    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout(0.1))\n"
                  "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
                  "    for epoch in range(10):\n"
                  "        train(model, loader, optimizer)\n"
                  "        evaluate(model, loader)\n");
  }
  static std::string engine(const std::string& first) {
    return "import torch\n"
           "def train(model, loader, optimizer):\n"
           "    for x, y in loader:\n"
           "        optimizer.zero_grad()\n"
           "        torch.nn.functional.cross_entropy(model(x), y).backward()\n"
           "        optimizer.step()\n"
           "def evaluate(model, loader):\n"
           "    " +
           first +
           "    with torch.no_grad():\n"
           "        return sum(model(x).sum() for x, _ in loader)\n";
  }
};

TEST_F(LintPackages, AreFollowedAcrossFiles) {
  const CommandResult run = lint_here(". --isolated --no-cache");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, HasSubstr("main.py:8:9: error: training goes on in evaluation mode"));
  EXPECT_THAT(run.out, HasSubstr("lib/engine.py:8:5: note: eval() is called here"));
  EXPECT_EQ(lint_here(". --isolated --no-cache --jobs 1").out, run.out);
  EXPECT_EQ(lint_here("main.py --isolated --no-cache").out, "") << "only what is given is read";
}

TEST_F(LintPackages, AreAskedAnewWhenAnImportedFileChanges) {
  const std::string ask = ". --isolated --cache-dir kept";
  const std::string first = lint_here(ask).out;
  EXPECT_THAT(first, HasSubstr("train-mode-not-restored"));
  EXPECT_EQ(lint_here(ask).out, first);
  folder_.write("lib/engine.py", engine("pass\n"));
  EXPECT_EQ(lint_here(ask).out, "");
  folder_.write("lib/engine.py", engine("model.eval()\n"));
  EXPECT_EQ(lint_here(ask).out, first);
}

// What is found in the helper's file while the caller is checked.
TEST_F(LintPackages, KeepTheSuppressionsOfImportedFiles) {
  folder_.write("main.py",
                "import torch\n"
                "from helper import step\n"
                "def main(loader, model):\n"
                "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
                "    for x, y in loader:\n"
                "        step(model, optimizer, x, y)\n");
  auto helper = [](const std::string& comment) {
    return "import torch\n"
           "def step(model, optimizer, x, y):\n"
           "    loss = torch.nn.functional.cross_entropy(model(x), y)\n"
           "    loss.backward()\n"
           "    optimizer.step()" +
           comment + "\n";
  };
  folder_.write("helper.py", helper(""));
  const CommandResult open = lint_here(". --isolated --no-cache");
  ASSERT_THAT(open.out, HasSubstr("helper.py:5:5: error"));
  ASSERT_THAT(open.out, HasSubstr("[zero-grad-missing]"));
  folder_.write("helper.py", helper("  # forerun: ignore[zero-grad-missing]"));
  for (const char* kept : {"--no-cache", "--cache-dir kept", "--cache-dir kept"}) {
    const CommandResult silent = lint_here(std::string(". --isolated ") + kept);
    EXPECT_EQ(silent.out, "") << kept;
    EXPECT_EQ(silent.exit_code, 0);
  }
}

}  // namespace
}  // namespace forerun::test
