// What the front end says beside the operations: roles, classes, imports, details.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/ir/ir.h"
#include "analyzer/python/frontend.h"

namespace forerun {
namespace {

using ir::Role;

ir::Program lowered(const std::string& text) {
  Result<ir::Program> program = python::lower(text, "a.py");
  if (!program) {
    ADD_FAILURE() << to_string(program.error());
    return {};
  }
  return *program;
}

const ir::Function& function(const ir::Program& program, const std::string& name) {
  for (const ir::Function& each : program.functions) {
    if (each.name == name) return each;
  }
  ADD_FAILURE() << "no function " << name;
  static const ir::Function none;
  return none;
}

const ir::Op& op(const ir::Function& function, std::size_t at) {
  return std::get<ir::Op>(function.body.at(at).value);
}

TEST(Facts, ImportsAreAsWritten) {
  const ir::Program program = lowered(
      "import torch.nn as nn, os\nfrom torch import optim\nfrom . import x\nfrom ..a.b import c\n");
  EXPECT_THAT(program.imports, testing::ElementsAre("torch.nn", "os", "torch", ".", "..a.b"));
}

TEST(Facts, ClassesHaveBasesAndMembers) {
  const ir::Program program = lowered(
      "import torch.nn as nn\n"
      "class Net(nn.Module, Mixin):\n"
      "    def __init__(self):\n"
      "        self.fc = nn.Linear(1, 2)\n"
      "        self.count = 0\n"
      "        self.other = make()\n");
  ASSERT_EQ(program.classes.size(), 1U);
  const ir::Class& net = program.classes[0];
  EXPECT_EQ(net.name, "Net");
  EXPECT_THAT(net.bases, testing::ElementsAre("Module", "Mixin"));
  EXPECT_EQ(net.members.at({"self", {"fc"}}), Role::Module);
  EXPECT_EQ(net.members.at({"self", {"count"}}), Role::Number);
  EXPECT_EQ(net.members.at({"self", {"other"}}), Role::Unknown);
  EXPECT_EQ(to_string(net.at), "a.py:2:1");
}

TEST(Facts, FunctionsSayWhatTheirNamesAre) {
  const ir::Program program = lowered(
      "import torch\n"
      "class Fit:\n"
      "    def __init__(self, net):\n"
      "        self.opt = torch.optim.SGD(net.parameters())\n"
      "    def run(self, x: torch.Tensor, n: int):\n"
      "        y = x.mean()\n"
      "        self.opt.step()\n"
      "        return y\n");
  const ir::Function& run = function(program, "Fit.run");
  EXPECT_EQ(run.owner, "Fit");
  EXPECT_THAT(run.parameters, testing::ElementsAre("x", "n"));
  EXPECT_EQ(run.roles.at({"x", {}}), Role::Tensor);
  EXPECT_EQ(run.roles.at({"y", {}}), Role::Tensor);
  EXPECT_EQ(run.roles.at({"n", {}}), Role::Number);
  EXPECT_EQ(run.roles.at({"self", {"opt"}}), Role::Optimizer);
}

TEST(Facts, DetailsNameClassesSpellingsAndWhatHasNoGraph) {
  const ir::Program program = lowered(
      "import torch.nn as nn, torch, utils\n"
      "class Mean:\n"
      "    def push(self, x): pass\n"
      "def f(x):\n"
      "    mean = Mean()\n"
      "    mean.push(x)\n"
      "    loss = nn.MSELoss()\n"
      "    loss(x, x)\n"
      "    torch.argmax(x)\n"
      "    utils.run(x)\n");
  const ir::Function& f = function(program, "f");
  EXPECT_EQ(op(f, 0).details.at("class"), "Mean");
  EXPECT_EQ(op(f, 1).details.at("class"), "Mean");
  EXPECT_EQ(op(f, 3).kind, ir::Kind::Loss);
  EXPECT_EQ(op(f, 3).details.at("class"), "MSELoss");
  EXPECT_EQ(op(f, 4).details.at("differentiable"), "false");
  EXPECT_EQ(op(f, 5).details.at("spelling"), "utils.run");
  EXPECT_EQ(op(f, 3).result_role, Role::Tensor);
}

TEST(Facts, InheritedMethodsNameTheClassThatDefinesThem) {
  const ir::Program program = lowered(
      "class A:\n"
      "    def run(self): pass\n"
      "class B(A):\n"
      "    def other(self):\n"
      "        self.run()\n");
  EXPECT_EQ(op(function(program, "B.other"), 0).details.at("class"), "A");
}

TEST(Facts, CirclesOfNamesAndClassesEnd) {
  lowered(
      "class A(B): pass\nclass B(A):\n    def f(self):\n        self.x = self.y\n        self.y = "
      "self.x\n        self.x.step()\n        self.g()\n");
  lowered("a = b\nb = c\nc = a\na.step()\ndef f(): return g()\ndef g(): return f()\nf().step()\n");
  lowered("x = x.y\nx.step()\nfor x in x: x.step()\n");
}

TEST(Facts, ScopesFollowPython) {
  const ir::Program program = lowered(
      "import torch\n"
      "opt = torch.optim.SGD([])\n"
      "def uses():\n"
      "    opt.step()\n"
      "def hides(opt: int):\n"
      "    opt.step()\n"
      "class C:\n"
      "    opt = 1\n"
      "    def method(self):\n"
      "        opt.step()\n");
  EXPECT_EQ(op(function(program, "uses"), 0).kind, ir::Kind::Step);
  EXPECT_EQ(op(function(program, "hides"), 0).kind, ir::Kind::Call);
  EXPECT_EQ(op(function(program, "C.method"), 0).kind, ir::Kind::Step)
      << "a method does not see the class body";
}

TEST(Facts, ShadowedImportsAreNotTorch) {
  const ir::Program program = lowered(
      "import torch.nn.functional as F\n"
      "def f(F, x):\n"
      "    F.mse_loss(x, x)\n");
  EXPECT_NE(op(function(program, "f"), 0).callee, "mse_loss");
}

}  // namespace
}  // namespace forerun
