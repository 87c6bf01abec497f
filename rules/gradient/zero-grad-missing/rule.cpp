#include <algorithm>

#include "rules/declarations.h"
#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::Values;
using ir::Kind;

// Clearing that leaves this loop's rounds alone: in a loop beside it, or after it.
bool elsewhere(const Analysis& of, NodeId clearing, LoopId loop) {
  if (of.graph().in(loop, clearing)) return false;
  const LoopId around = round_of_clearing(of, clearing);
  if (around == flow::kNone) return clearing > of.loop(loop).head;
  return !of.graph().loop_in(loop, around);
}

// A class of the program around an optimizer: what its methods clear is not told by its name.
bool is_wrapped(const Analysis& of, const Optimizer& optimizer) {
  return std::any_of(optimizer.self.begin(), optimizer.self.end(),
                     [&](flow::ValueId one) { return of.value(one).type != nullptr; });
}

// The gradients this step uses still hold those of every round before it: nothing between one
// round's backward and the next clears them. Clearing outside the loop is another mistake, with its
// own rule.
void check(const Analysis& of, Findings& found) {
  for (const NodeId step : of.all({Kind::Step, Kind::ScalerStep})) {
    Optimizer optimizer = optimizer_of(of, step);
    if (optimizer.self.empty() || is_wrapped(of, optimizer)) continue;
    NodeId backward = flow::kNone;
    const LoopId loop = training_loop(of, step, optimizer, backward);
    if (loop == flow::kNone || fresh_each_round(of, loop, optimizer)) continue;
    if (runs_closure(of, step, backward) && is_lbfgs(of, optimizer)) continue;  // its own rule
    if (!optimizer.parameters.known)
      flow::add(optimizer.parameters.owners, of.gradients_of(backward).owners);
    const std::vector<NodeId> clearing = of.where([&](const flow::Node& node) {
      const auto id = static_cast<NodeId>(&node - of.graph().nodes.data());
      if (of.graph().in(loop, id) && may_clear(of, id, optimizer)) return true;
      return !elsewhere(of, id, loop) && clears(of, id, optimizer);
    });
    if (!clearing.empty()) continue;
    const bool in_test = is_test(*of.graph().program);
    found.at(step, "gradients of this step are added to those of the steps before")
        .level(in_test ? Level::Note : Level::Error)
        .note(backward, "backward() adds to them here")
        .note(of.loop(loop).at, "the loop starts again here with the old gradients")
        .help("call zero_grad() once per step, before backward()");
  }
}

}  // namespace

extern const Rule zero_grad_missing;
constinit const Rule zero_grad_missing{Level::Error, check, kinds(Kind::Step, Kind::ScalerStep),
                                       true};

}  // namespace forerun::rules
