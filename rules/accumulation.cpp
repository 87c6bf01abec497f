#include "rules/accumulation.h"

#include <algorithm>

namespace forerun::rules {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

namespace {

// `if sync_gradients:`, `if not accumulating:`: a flag whose name says it. A comparison with a
// setting (`accum_steps == 1`) is no such flag.
bool is_accumulation_flag(const flow::Value& value) {
  for (const char* word : {"sync_grad", "accumulating", "is_accum", "do_step", "should_step"}) {
    if (value.step.find(word) != std::string::npos) return true;
  }
  return false;
}

bool holds(const std::vector<Analysis::Guard>& guards, NodeId branch) {
  return std::any_of(guards.begin(), guards.end(),
                     [&](const Analysis::Guard& guard) { return guard.branch == branch; });
}

// From this backward the step is reached in the same round (without asking the condition `gate`).
bool reaches(const Analysis& of, LoopId loop, NodeId backward, NodeId step,
             NodeId gate = flow::kNone) {
  const NodeId latch = of.loop_latch(loop);
  return of
      .path(
          backward, [&](NodeId at) { return at == step; },
          [&](NodeId at) { return at == gate || at == latch; }, loop)
      .has_value();
}

// Behind the same condition another backward feeds the optimizer: a generator that is trained every
// few rounds of its critic, not a window.
bool has_its_own_backward(const Analysis& of, LoopId loop, const Optimizer& optimizer,
                          const Analysis::Guard& gate) {
  for (const NodeId backward : of.all(Kind::Backward)) {
    if (!of.graph().in(loop, backward) || !may_feed(of, backward, optimizer)) continue;
    for (const Analysis::Guard& guard : of.guards(backward, loop)) {
      if (guard.branch == gate.branch && guard.taken == gate.taken) return true;
    }
  }
  return false;
}

// The branch that lets the step through in some rounds only, while backward runs in all of them.
NodeId gate_of(const Analysis& of, LoopId loop, NodeId backward, NodeId step,
               const Optimizer& optimizer) {
  if (!reaches(of, loop, backward, step)) return flow::kNone;
  const std::vector<Analysis::Guard> around_backward = of.guards(backward, loop);
  for (const Analysis::Guard& guard : of.guards(step, loop)) {
    if (holds(around_backward, guard.branch) || !is_periodic(of, guard.branch)) continue;
    if (reaches(of, loop, backward, step, guard.branch)) continue;
    return has_its_own_backward(of, loop, optimizer, guard) ? flow::kNone : guard.branch;
  }
  return flow::kNone;
}

// A step after the loop whose rounds run backward, in the same turn of what is around both.
bool follows(const Analysis& of, LoopId micro, NodeId backward, NodeId step) {
  const LoopId around = of.loop(micro).parent;
  if (of.graph().in(micro, step) || of.innermost_loop(step) != around) return false;
  // The rounds step themselves: what comes after is another phase.
  for (const NodeId other : of.all({Kind::Step, Kind::ScalerStep})) {
    if (of.graph().in(micro, other)) return false;
  }
  return of
      .path(
          backward, [&](NodeId at) { return at == step; },
          [&](NodeId at) { return at == of.loop_latch(around); }, around)
      .has_value();
}

}  // namespace

namespace {

// `if count == k: …; count = 0`: a counter that is compared and started anew.
bool restarts_counter(const Analysis& of, NodeId branch) {
  const flow::Node& node = of.node(branch);
  if (node.branch == nullptr || node.receiver.size() != 1) return false;
  const ir::Op* compared = of.maker(node.receiver.front());
  if (compared == nullptr || compared->kind != Kind::Arith) return false;
  const std::string& how = compared->callee;
  if (how != "eq" && how != "ge" && how != "gt") return false;
  return std::any_of(
      node.branch->then_body.begin(), node.branch->then_body.end(), [&](const ir::Node& inside) {
        const auto* op = std::get_if<ir::Op>(&inside.value);
        if (op == nullptr || op->kind != Kind::Assign || op->results.size() != 1) return false;
        return std::any_of(compared->arguments.begin(), compared->arguments.end(),
                           [&](const ir::Argument& argument) {
                             const auto* place = std::get_if<ir::Place>(&argument.value);
                             return place != nullptr && *place == op->results.front();
                           });
      });
}

}  // namespace

bool is_periodic(const Analysis& of, NodeId branch) {
  const flow::Node& node = of.node(branch);
  for (const ValueId one : of.sources(node.receiver)) {
    const ir::Op* maker = of.maker(one);
    if (maker != nullptr && maker->kind == Kind::Arith && maker->callee == "mod") return true;
  }
  return restarts_counter(of, branch) ||
         std::any_of(node.receiver.begin(), node.receiver.end(),
                     [&](ValueId one) { return is_accumulation_flag(of.value(one)); });
}

bool handles_gradients(const Analysis& of, LoopId loop) {
  for (const NodeId id : of.all({Kind::GradRead, Kind::GradWrite, Kind::AutogradGrad})) {
    if (of.graph().in(loop, id)) return true;
  }
  return false;
}

std::vector<AccumulationWindow> accumulation_windows(const Analysis& of) {
  std::vector<AccumulationWindow> found;
  const std::vector<NodeId> backwards = of.all(Kind::Backward);
  if (backwards.empty()) return found;
  for (const NodeId step : of.all({Kind::Step, Kind::ScalerStep})) {
    const Optimizer optimizer = optimizer_of(of, step);
    for (const NodeId backward : backwards) {
      const LoopId micro = of.innermost_loop(backward);
      if (micro == flow::kNone || !may_feed(of, backward, optimizer)) continue;
      if (of.graph().in(micro, step)) {
        const NodeId gate = gate_of(of, micro, backward, step, optimizer);
        if (gate != flow::kNone) found.push_back({micro, backward, step, gate, optimizer});
      } else if (follows(of, micro, backward, step)) {
        found.push_back({micro, backward, step, flow::kNone, optimizer});
      }
    }
  }
  return found;
}

}  // namespace forerun::rules
