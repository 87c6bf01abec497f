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

bool makes_gradients(const Analysis& of, NodeId id, const Optimizer& optimizer) {
  const flow::Node& node = of.node(id);
  if (node.is(Kind::GradWrite)) return true;
  if (node.is(Kind::AutogradGrad)) return true;
  if (node.is(Kind::Backward)) return may_feed(of, id, optimizer);
  if (node.is(Kind::Call) && node.op->callee.find("backward") != std::string::npos) return true;
  return may_run_backward(of, id, optimizer);
}

// Something differentiable is computed in the loop for which nobody runs
// backward.
NodeId unused_loss(const Analysis& of, LoopId loop) {
  for (const NodeId id : of.all(Kind::Loss)) {
    if (!of.graph().in(loop, id) || of.node(id).grad != flow::Grad::On) continue;
    for (const Values& made : of.node(id).results) {
      if (of.attached(made) &&
          std::none_of(made.begin(), made.end(), [&](ValueId one) { return of.backwarded(one); }))
        return id;
    }
  }
  return flow::kNone;
}

bool has_closure(const Analysis& of, NodeId step) {
  for (const Values& given : of.node(step).arguments) {
    if (!given.empty()) return true;
  }
  return !of.node(step).op->arguments.empty() && of.node(step).is(Kind::Step);
}

// A loss is computed and the optimizer steps, round after round, and no
// gradient is ever made.
void check(const Analysis& of, Findings& found) {
  std::set<LoopId> reported;
  const std::vector<NodeId> makers = of.where([](const flow::Node& node) {
    return node.op != nullptr || node.form == flow::Node::Form::Scope;
  });
  for (const NodeId step : of.all({Kind::Step, Kind::ScalerStep})) {
    const Optimizer optimizer = optimizer_of(of, step);
    const LoopId loop = of.innermost_loop(step);
    if (loop == flow::kNone || optimizer.self.empty() || has_closure(of, step)) continue;
    const NodeId loss = unused_loss(of, loop);
    if (loss == flow::kNone || reported.contains(loop)) continue;
    if (std::any_of(makers.begin(), makers.end(),
                    [&](NodeId id) { return makes_gradients(of, id, optimizer); }))
      continue;
    reported.insert(loop);
    found.at(step, "the optimizer steps, and nothing ever computes gradients for it")
        .note(loss, "backward() is never called on this loss")
        .help("call backward() on the loss before the step");
  }
}

}  // namespace

extern const Rule step_without_backward;
constinit const Rule step_without_backward{Level::Error, check, kinds(Kind::Step, Kind::ScalerStep),
                                           true};

}  // namespace forerun::rules
