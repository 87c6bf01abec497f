// The questions rules ask, on programs written in the printed IR.
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/flow/analysis.h"
#include "analyzer/flow/names.h"
#include "analyzer/ir/parse.h"

namespace forerun::flow {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Program {
  explicit Program(const std::string& text) {
    auto parsed = ir::parse(text, "p.tir");
    EXPECT_TRUE(parsed) << to_string(parsed.error());
    program = std::make_unique<ir::Program>(std::move(*parsed));
    all = analyse(*program);
  }
  const Analysis& root(const std::string& name) const {
    for (const auto& one : all) {
      if (one->graph().root->name == name) return *one;
    }
    ADD_FAILURE() << name << " is no entry point";
    return *all.front();
  }
  std::unique_ptr<ir::Program> program;
  std::vector<std::unique_ptr<Analysis>> all;
};

NodeId only(const Analysis& of, ir::Kind kind) {
  const std::vector<NodeId> found = of.all(kind);
  EXPECT_THAT(found, SizeIs(1));
  return found.front();
}

// The node whose statement is on this line of the text.
NodeId at_line(const Analysis& of, int line, Node::Form form = Node::Form::Op) {
  for (const NodeId id :
       of.where([&](const Node& node) { return node.form == form && node.at.begin.line == line; }))
    return id;
  ADD_FAILURE() << "nothing on line " << line;
  return 0;
}

Values result(const Analysis& of, int line) { return of.node(at_line(of, line)).results.at(0); }

bool reaches(const Analysis& of, int from, int to, int avoiding) {
  const NodeId goal = at_line(of, to), avoid = avoiding == 0 ? kNone : at_line(of, avoiding);
  return of
      .path(
          at_line(of, from), [&](NodeId id) { return id == goal; },
          [&](NodeId id) { return id == avoid; })
      .has_value();
}

TEST(Build, EntryPointsAreFunctionsNobodyCalls) {
  const Program p(
      "function helper (a)\n  return a\nfunction main ()\n  %1 = call:helper (1)\nfunction lonely "
      "()\n  %1 = clock\n");
  std::vector<std::string> names;
  for (const auto& one : p.all) names.push_back(one->graph().root->name);
  EXPECT_THAT(names, ElementsAre("main", "lonely"));
}

TEST(Build, CallsAreExpandedWhereTheyStand) {
  const Program p(
      "function step (opt, loss)\n"
      "  backward loss\n"
      "  step opt\n"
      "function fit (net, opt)\n"
      "  loop x in net\n"
      "    %1 = forward net (x)\n"
      "    call:step (opt, %1)\n");
  const Analysis& of = p.root("fit");
  const NodeId backward = only(of, ir::Kind::Backward), forward = only(of, ir::Kind::Forward);
  EXPECT_EQ(of.node(backward).receiver, of.node(forward).results[0])
      << "the argument is the parameter";
  EXPECT_EQ(of.loops_around(backward), of.loops_around(forward));
  EXPECT_EQ(of.node(of.seen_from(of.innermost_loop(backward), backward)).at.begin.line, 7)
      << "the call, seen from the loop";
}

TEST(Build, RecursionEnds) {
  const Program p(
      "function cut (state)\n  %1 = call:cut (state)\n  return %1\nfunction main (s)\n  %1 = "
      "call:cut (s)\n  print (%1)\n");
  EXPECT_TRUE(p.root("main").graph().whole);
}

TEST(Build, MembersAreFollowedFromTheConstructor) {
  const Program p(
      "# class Trainer\n"
      "function Trainer.__init__ (net)\n"
      "  self.net = net\n"
      "  %1 = parameters net\n"
      "  self.opt = construct:SGD (%1)\n"
      "function Trainer.fit (batches)\n"
      "  loop x in batches\n"
      "    zero_grad self.opt\n"
      "    step self.opt\n");
  const Analysis& of = p.root("Trainer.fit");
  const NodeId step = only(of, ir::Kind::Step), zero = only(of, ir::Kind::ZeroGrad);
  EXPECT_EQ(of.node(step).receiver, of.node(zero).receiver);
  EXPECT_TRUE(of.parameters_of(of.node(step).receiver).owners.size() == 1);
}

TEST(Build, InstancesKeepTheirMembersApart) {
  const Program p(
      "# class Mean\n"
      "function Mean.__init__ ()\n"
      "  self.total = 0.0\n"
      "function Mean.push (x)\n"
      "  self.total = x\n"
      "function main (a, b)\n"
      "  m = call:Mean ()\n"
      "  n = call:Mean ()\n"
      "  call:push m (a)\n"
      "  call:push n (b)\n"
      "  print (m.total)\n"
      "  print (n.total)\n");
  const Analysis& of = p.root("main");
  EXPECT_THAT(of.node(at_line(of, 11)).arguments[0], SizeIs(1));
  EXPECT_NE(of.node(at_line(of, 11)).arguments[0], of.node(at_line(of, 12)).arguments[0]);
}

TEST(Build, ContainersGiveBackWhatWasPutIn) {
  const Program p(
      "function main (a, b)\n"
      "  xs = pack:list (a)\n"
      "  append xs (b)\n"
      "  loop x in xs\n"
      "    zero_grad x\n"
      "  d = pack:dict (\"g\", a, \"d\", b)\n"
      "  %1 = index d (\"d\")\n"
      "  step %1\n");
  const Analysis& of = p.root("main");
  EXPECT_THAT(of.node(at_line(of, 5)).receiver, SizeIs(::testing::Ge(2u)));
  EXPECT_EQ(of.node(at_line(of, 8)).receiver, of.node(at_line(of, 3)).arguments[0]);
}

TEST(Build, ClosuresAreRunByTheOptimizer) {
  const Program p(
      "function main (net, opt)\n"
      "  function closure ()\n"
      "    zero_grad opt\n"
      "    %1 = forward net ()\n"
      "    backward %1\n"
      "    return %1\n"
      "  loop i to 3\n"
      "    step opt (&closure)\n");
  const Analysis& of = p.root("main");
  EXPECT_EQ(of.innermost_loop(only(of, ir::Kind::Backward)),
            of.innermost_loop(only(of, ir::Kind::Step)));
  EXPECT_EQ(of.node(only(of, ir::Kind::ZeroGrad)).receiver,
            of.node(only(of, ir::Kind::Step)).receiver);
}

TEST(Build, LoopsCarryValuesRound) {
  const Program p(
      "function main (xs)\n  total = 0.0\n  loop x in xs\n    total = arith:add (total, x)\n  "
      "print (total)\n");
  const Analysis& of = p.root("main");
  const Values sum = result(of, 4);
  EXPECT_TRUE(contains(of.sources(of.node(at_line(of, 4)).arguments[0]), sum.front()))
      << "the sum is made of its earlier self";
}

TEST(Build, AHugeProgramIsCutShortAndSaysSo) {
  std::string text = "function main (a)\n";
  for (int i = 0; i < 30000; ++i) text += "  print (a)\n";
  EXPECT_FALSE(Program(text).all.front()->graph().whole);
}

TEST(Build, ManyCallsOfManyCallsEnd) {
  std::string text = "function f0 (a)\n  print (a)\n";
  for (int i = 1; i < 12; ++i) {
    text += "function f" + std::to_string(i) + " (a)\n";
    for (int k = 0; k < 8; ++k) text += "  call:f" + std::to_string(i - 1) + " (a)\n";
  }
  const Program p(text);
  EXPECT_FALSE(p.all.empty());
}

constexpr const char* kBranches =
    "function main (amp, other, a, b, c)\n"  // 1
    "  branch amp\n"                         // 2
    "    backward a\n"                       // 3
    "  else\n"
    "    backward b\n"    // 5
    "  branch amp\n"      // 6
    "    unscale a\n"     // 7
    "  branch other\n"    // 8
    "    unscale b\n"     // 9
    "  clip_grad (c)\n";  // 10

TEST(Path, AConditionHoldsThroughout) {
  const Program p(kBranches);
  const Analysis& of = p.root("main");
  EXPECT_TRUE(reaches(of, 3, 10, 0));
  EXPECT_FALSE(reaches(of, 3, 10, 7)) << "amp was true, so line 7 is passed";
  EXPECT_TRUE(reaches(of, 5, 10, 7));
  EXPECT_FALSE(reaches(of, 5, 7, 0)) << "amp was false";
  EXPECT_TRUE(reaches(of, 3, 10, 9));
}

TEST(Path, NotAndNoneAreTheSameQuestion) {
  const Program p(
      "function main (scaler, a, c)\n"
      "  %1 = arith:is_not (scaler, none)\n"
      "  branch %1\n"
      "    backward a\n"  // 4
      "  %2 = arith:not (scaler)\n"
      "  branch %2\n"
      "    print (a)\n"  // 7
      "  else\n"
      "    unscale a\n"  // 9
      "  clip_grad (c)\n");
  const Analysis& of = p.root("main");
  EXPECT_FALSE(reaches(of, 4, 10, 9));
  EXPECT_FALSE(reaches(of, 4, 7, 0));
}

TEST(Path, ConditionsOfARoundAreForgotten) {
  const Program p(
      "function main (xs, every)\n"
      "  loop i, x in xs\n"
      "    %1 = arith:mod (i, every)\n"
      "    %2 = arith:eq (%1, 0)\n"
      "    branch %2\n"
      "      backward x\n"  // 6
      "    %3 = arith:mod (i, every)\n"
      "    %4 = arith:eq (%3, 0)\n"
      "    branch %4\n"
      "      print (x)\n"  // 10
      "    else\n"
      "      empty_cache\n");  // 12
  const Analysis& of = p.root("main");
  const LoopId loop = of.innermost_loop(at_line(of, 6));
  const NodeId other = at_line(of, 12);
  EXPECT_FALSE(of.path(
      at_line(of, 6), [&](NodeId id) { return id == other; },
      [&](NodeId id) { return id == of.loop(loop).latch; }))
      << "the same round";
  EXPECT_TRUE(of.path(
      at_line(of, 6), [&](NodeId id) { return id == other; }, [](NodeId) { return false; }))
      << "the next one";
}

TEST(Path, EveryRound) {
  const Program p(
      "function main (xs, c)\n"
      "  loop x in xs\n"
      "    print (x)\n"  // 3
      "    branch c\n"
      "      continue\n"
      "    backward x\n"  // 6
      "    branch x\n"
      "      break\n"
      "    step x\n");  // 9
  const Analysis& of = p.root("main");
  const LoopId loop = of.innermost_loop(at_line(of, 3));
  EXPECT_TRUE(of.every_round(loop, at_line(of, 3)));
  EXPECT_FALSE(of.every_round(loop, at_line(of, 6)));
  EXPECT_TRUE(of.comes_round(loop, at_line(of, 9), at_line(of, 6)));
}

TEST(Path, AnInnerLoopRunsAtLeastOnce) {
  const Program p(
      "function main (opts, a)\n"
      "  backward a\n"
      "  loop opt in opts\n"
      "    unscale a (opt)\n"
      "  clip_grad (a)\n");
  EXPECT_FALSE(reaches(p.root("main"), 2, 5, 4));
}

TEST(History, FollowsGradients) {
  const Program p(
      "# role x tensor\n"
      "function main (net, x)\n"
      "  out = forward net (x)\n"    // 3
      "  %1 = tensor:relu (out)\n"   // 4
      "  %2 = tensor:argmax %1\n"    // 5
      "  %3 = detach %1\n"           // 6
      "  %4 = arith:mul (%3, 2)\n"   // 7
      "  %5 = host_read:cpu %1\n"    // 8
      "  %6 = host_read:item %1\n"   // 9
      "  %7 = pack:tuple (1, %1)\n"  // 10
      "  %8 = arith:gt (%1, 0)\n"    // 11
      "  scope no_grad\n"
      "    %9 = forward net (x)\n"          // 13
      "  %10 = arith:add (x, 1)\n"          // 14
      "  %11 = parameters net\n"            // 15
      "  %12 = tensor:sum (%11)\n"          // 16
      "  %13 = autograd_grad (%12, x)\n");  // 17
  const Analysis& of = p.root("main");
  const std::pair<int, History> expected[] = {
      {3, History::Graph},  {4, History::Graph}, {5, History::None},   {6, History::None},
      {7, History::None},   {8, History::Graph}, {9, History::None},   {10, History::Graph},
      {11, History::None},  {13, History::None}, {14, History::Maybe}, {15, History::Leaf},
      {16, History::Graph}, {17, History::None}};
  for (const auto& [line, history] : expected)
    EXPECT_EQ(of.history(result(of, line)), history) << "line " << line;
}

TEST(History, OfModulesWithoutTrainableParameters) {
  const Program p(
      "function main (x, net)\n"
      "  act = construct:ReLU ()\n"
      "  %1 = forward act (x)\n"  // 3
      "  requires_grad net (false)\n"
      "  %2 = forward net (x)\n");  // 5
  EXPECT_EQ(p.root("main").history(result(p.root("main"), 3)), History::Maybe);
  EXPECT_EQ(p.root("main").history(result(p.root("main"), 5)), History::Maybe);
}

TEST(History, WhatIsRunBackwardHadAGraph) {
  const Program p("function main (loss)\n  backward loss\n  total = arith:mul (loss, 2)\n");
  EXPECT_TRUE(p.root("main").attached(result(p.root("main"), 3)));
}

TEST(Backward, KnowsWhatItFreed) {
  const Program p(
      "function main (net, x)\n"
      "  a = forward net (x)\n"             // 2
      "  b = arith:mul (a, 2)\n"            // 3
      "  c = arith:add (a, 1)\n"            // 4
      "  backward b\n"                      // 5
      "  d = forward net (x)\n"             // 6
      "  backward d (retain_graph=true)\n"  // 7
      "  e = forward net (x)\n");           // 8
  const Analysis& of = p.root("main");
  EXPECT_TRUE(of.freed(result(of, 3).front()));
  EXPECT_TRUE(of.freed(result(of, 2).front()));
  EXPECT_TRUE(of.freed(result(of, 4).front())) << "all it was computed from was run backward";
  EXPECT_TRUE(of.backwarded(result(of, 6).front()));
  EXPECT_FALSE(of.freed(result(of, 6).front()));
  EXPECT_FALSE(of.backwarded(result(of, 8).front()));
}

TEST(Optimizers, KnowTheirModels) {
  const Program p(
      "function main ()\n"
      "  net = construct:Linear (4, 2)\n"
      "  other = construct:Linear (4, 2)\n"
      "  %1 = parameters net\n"
      "  a = construct:SGD (%1)\n"
      "  %2 = parameters other\n"
      "  b = construct:SGD (%2)\n"
      "  %3 = parameters net\n"
      "  %4 = parameters other\n"
      "  %5 = arith:add (%3, %4)\n"
      "  all = construct:Adam (%5)\n");
  const Analysis& of = p.root("main");
  const auto a = of.parameters_of(result(of, 5)), b = of.parameters_of(result(of, 7)),
             all = of.parameters_of(result(of, 11));
  EXPECT_TRUE(a.known && b.known && all.known);
  EXPECT_FALSE(of.overlap(a, b));
  EXPECT_TRUE(of.covers(all, a));
  EXPECT_FALSE(of.covers(a, all));
}

TEST(Touch, ReachesWhatIsHeld) {
  const Program p(
      "function main (net, opt, x)\n"
      "  trainer = call:Trainer (net, opt)\n"
      "  call:run trainer ()\n"       // 3
      "  call:isinstance (opt, x)\n"  // 4
      "  call:mystery (x)\n");        // 5
  const Analysis& of = p.root("main");
  const Values opt = of.node(at_line(of, 4)).arguments[0];
  EXPECT_TRUE(of.may_touch(at_line(of, 3), opt));
  EXPECT_FALSE(of.may_touch(at_line(of, 4), opt));
  EXPECT_FALSE(of.may_touch(at_line(of, 5), opt));
}

TEST(Device, WhatComesFromAModelIsThereUnlessTheModelIsNot) {
  const Program p(
      "function main (net, x)\n"
      "  mine = construct:Linear (4, 2)\n"
      "  a = forward net (x)\n"   // 3
      "  b = forward mine (x)\n"  // 4
      "  c = host_read:cpu a\n"   // 5
      "  d = move:cuda x\n");     // 6
  const Analysis& of = p.root("main");
  EXPECT_EQ(of.device(result(of, 3)), Device::Device);
  EXPECT_EQ(of.device(result(of, 4)), Device::Host);
  EXPECT_EQ(of.device(result(of, 5)), Device::Host);
  EXPECT_EQ(of.device(result(of, 6)), Device::Device);
}

TEST(Loops, TheStepLoopIsTheInnermostThatSteps) {
  const Program p(
      "function main (net, opt, epochs, batches)\n"
      "  loop e to epochs\n"
      "    loop x in batches\n"
      "      backward x\n"
      "      step opt\n"
      "      loop p in net\n"
      "        print (p)\n"  // 7
      "    print (e)\n");    // 8
  const Analysis& of = p.root("main");
  EXPECT_EQ(of.step_loop(at_line(of, 7)), of.innermost_loop(at_line(of, 5)));
  EXPECT_EQ(of.step_loop(at_line(of, 8)), kNone);
}

TEST(Frameworks, AreKnownByImport) {
  ir::Program program;
  EXPECT_FALSE(framework(program));
  program.imports = {"torch", "lightning.pytorch"};
  EXPECT_EQ(framework(program), "lightning");
  program.imports = {"transformers.Trainer"};
  EXPECT_TRUE(framework(program));
  program.imports = {"transformers"};
  EXPECT_FALSE(framework(program));
}

}  // namespace
}  // namespace forerun::flow
