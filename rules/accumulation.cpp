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

bool names_accumulation(const std::string& name) {
  for (const char* word : {"accum", "sync_grad", "micro"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

// The branch that lets the step through in some rounds only, while backward runs in all of them.
NodeId gate_of(const Analysis& of, LoopId loop, NodeId backward, NodeId step) {
  const std::vector<Analysis::Guard> around_backward = of.guards(backward, loop);
  for (const Analysis::Guard& guard : of.guards(step, loop)) {
    const bool shared =
        std::any_of(around_backward.begin(), around_backward.end(),
                    [&](const Analysis::Guard& other) { return other.branch == guard.branch; });
    if (!shared && is_periodic(of, guard.branch)) return guard.branch;
  }
  return flow::kNone;
}

// A step after the loop whose rounds run backward, in the same turn of what is around both.
bool follows(const Analysis& of, LoopId micro, NodeId step) {
  const LoopId around = of.loop(micro).parent;
  if (of.graph().in(micro, step) || of.innermost_loop(step) != around) return false;
  return of
      .path(
          of.loop(micro).head, [&](NodeId at) { return at == step; }, [](NodeId) { return false; },
          around)
      .has_value();
}

}  // namespace

bool is_periodic(const Analysis& of, NodeId branch) {
  const flow::Node& node = of.node(branch);
  for (const ValueId one : of.sources(node.receiver)) {
    const ir::Op* maker = of.maker(one);
    if (maker != nullptr && maker->kind == Kind::Arith && maker->callee == "mod") return true;
    if (names_accumulation(of.value(one).step)) return true;
  }
  return node.condition != nullptr && names_accumulation(ir::to_string(*node.condition));
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
        const NodeId gate = gate_of(of, micro, backward, step);
        if (gate != flow::kNone) found.push_back({micro, backward, step, gate, optimizer});
      } else if (follows(of, micro, step)) {
        found.push_back({micro, backward, step, flow::kNone, optimizer});
      }
    }
  }
  return found;
}

}  // namespace forerun::rules
