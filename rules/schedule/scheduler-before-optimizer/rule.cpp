#include <algorithm>
#include <set>

#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// step(metric) and step(epoch) set the rate from what they are given: their
// place matters less.
bool is_given_something(const flow::Node& node) {
  return std::any_of(node.op->arguments.begin(), node.op->arguments.end(),
                     [](const ir::Argument& argument) { return argument.name != "closure"; });
}

bool belongs_to(const Analysis& of, const Values& scheduler, const Optimizer& optimizer) {
  bool made_here = false;
  for (const ValueId one : scheduler) {
    const ir::Op* maker = of.maker(one);
    if (maker == nullptr || maker->kind != Kind::Construct) continue;
    made_here = true;
    if (flow::intersect(of.sources({one}), optimizer.self)) return true;
  }
  return !made_here;
}

bool comes_first(const Analysis& of, LoopId loop, NodeId first, NodeId second) {
  const NodeId latch = of.loop_latch(loop);
  const NodeId head = of.loop(loop).head;
  return of
      .path(
          first, [&](NodeId at) { return at == second; },
          [&](NodeId at) { return at == latch || at == head; })
      .has_value();
}

// The innermost loop that holds both.
LoopId common(const Analysis& of, NodeId a, NodeId b) {
  for (const LoopId loop : of.loops_around(a)) {
    if (of.graph().in(loop, b)) return loop;
  }
  return flow::kNone;
}

// The rate moves on before the optimizer has used it: the schedule's first
// value is never trained with.
void check(const Analysis& of, Findings& found) {
  const std::vector<NodeId> steps = of.all({Kind::Step, Kind::ScalerStep});
  std::set<NodeId> reported;
  for (const NodeId scheduler : of.all(Kind::SchedulerStep)) {
    const flow::Node& node = of.node(scheduler);
    if (!node.op->callee.empty() && node.op->callee != "step") continue;
    if (is_given_something(node) || reported.contains(scheduler)) continue;
    NodeId late = flow::kNone;
    bool any_before = false;
    for (const NodeId step : steps) {
      const Optimizer optimizer = optimizer_of(of, step);
      if (!belongs_to(of, node.receiver, optimizer)) continue;
      const LoopId loop = common(of, scheduler, step);
      if (loop == flow::kNone || of.innermost_loop(scheduler) != loop) continue;
      any_before |= comes_first(of, loop, step, scheduler);
      if (comes_first(of, loop, scheduler, step)) late = step;
    }
    if (late == flow::kNone || any_before) continue;
    reported.insert(scheduler);
    found.at(scheduler, "the scheduler steps before the optimizer in every round")
        .note(late, "the optimizer's step comes after it")
        .help(
            "step the optimizer first: the schedule then starts with its "
            "first value");
  }
}

}  // namespace

extern const Rule scheduler_before_optimizer;
constinit const Rule scheduler_before_optimizer{Level::Warning, check, kinds(Kind::SchedulerStep),
                                                true};

}  // namespace forerun::rules
