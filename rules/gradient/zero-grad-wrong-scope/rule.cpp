#include <set>

#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using ir::Kind;

// Clearing that is done before the rounds of the loop begin: in a loop around
// it, or before it.
NodeId cleared_before(const Analysis& of, LoopId loop, NodeId step, const Optimizer& optimizer) {
  for (const NodeId id : of.all({Kind::ZeroGrad, Kind::GradWrite})) {
    if (of.graph().in(loop, id) || !clears(of, id, optimizer)) continue;
    const LoopId around = round_of_clearing(of, id);
    const bool encloses = around == flow::kNone || of.graph().loop_in(loop, around);
    if (encloses && of.path(
                        id, [&](NodeId at) { return at == step; }, [](NodeId) { return false; }))
      return id;
  }
  return flow::kNone;
}

// Gradients are cleared once before the batches and never between them: every
// step moves along the sum of all gradients since.
void check(const Analysis& of, Findings& found) {
  std::set<NodeId> reported;
  for (const NodeId step : of.all({Kind::Step, Kind::ScalerStep})) {
    Optimizer optimizer = optimizer_of(of, step);
    if (optimizer.self.empty()) continue;
    NodeId backward = flow::kNone;
    const LoopId loop = training_loop(of, step, optimizer, backward);
    if (loop == flow::kNone || fresh_each_round(of, loop, optimizer)) continue;
    if (runs_closure(of, step, backward)) continue;
    if (!optimizer.parameters.known)
      flow::add(optimizer.parameters.owners, of.gradients_of(backward).owners);
    if (cleared_inside(of, loop, optimizer)) continue;
    const NodeId clearing = cleared_before(of, loop, step, optimizer);
    if (clearing == flow::kNone || !reported.insert(clearing).second) continue;
    found.at(clearing, "gradients are cleared before the loop and not between its steps")
        .note(backward, "backward() adds to them here, round after round")
        .note(step, "and each step uses the sum so far")
        .help("call zero_grad() inside the loop, once per step");
  }
}

}  // namespace

extern const Rule zero_grad_wrong_scope;
constinit const Rule zero_grad_wrong_scope{Level::Error, check, kinds(Kind::Step, Kind::ScalerStep),
                                           true};

}  // namespace forerun::rules
