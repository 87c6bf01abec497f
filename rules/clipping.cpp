#include "rules/clipping.h"

#include <algorithm>

namespace forerun::rules {

using flow::Analysis;
using flow::NodeId;
using flow::Values;
using ir::Kind;

namespace {

bool makes_gradients(const Analysis& of, NodeId id, const Optimizer& optimizer) {
  const flow::Node& node = of.node(id);
  if (node.is(Kind::Backward)) return may_feed(of, id, optimizer);
  if (node.is(Kind::GradWrite)) return node.op->callee != "none" && node.op->callee != "zero_";
  return may_run_backward(of, id, optimizer);
}

// The one optimizer that steps what is clipped. With several of them the parameters have to tell.
std::optional<Clipping> judge(const Analysis& of, NodeId clip) {
  const Analysis::Parameters wanted = clipped(of, clip);
  const std::vector<NodeId> steps = of.all({Kind::Step, Kind::ScalerStep});
  std::optional<Clipping> found;
  for (const NodeId step : steps) {
    Optimizer optimizer = optimizer_of(of, step);
    const bool alone = std::all_of(steps.begin(), steps.end(), [&](NodeId other) {
      return of.stepped(other) == optimizer.self;
    });
    const bool certain = wanted.known && optimizer.parameters.known;
    if (!alone && !certain) return std::nullopt;
    if (!of.overlap(wanted, optimizer.parameters)) continue;
    if (closure_loop(of, step) != flow::kNone) return std::nullopt;
    if (!found) found = Clipping{clip, step, flow::kNone, std::move(optimizer)};
  }
  return found;
}

}  // namespace

Analysis::Parameters clipped(const Analysis& of, NodeId clip) {
  return of.node(clip).arguments.empty() ? Analysis::Parameters{}
                                         : of.parameters_of(of.node(clip).arguments.front());
}

std::vector<Clipping> clippings(const Analysis& of) {
  std::vector<Clipping> all;
  const std::vector<NodeId> backwards = of.all(Kind::Backward);
  for (const NodeId clip : of.all(Kind::ClipGrad)) {
    auto one = judge(of, clip);
    if (!one) continue;
    for (const NodeId backward : backwards) {
      if (may_feed(of, backward, one->optimizer)) one->backward = backward;
    }
    if (one->backward != flow::kNone) all.push_back(std::move(*one));
  }
  return all;
}

bool meets_fresh_gradients(const Analysis& of, const Clipping& clipping) {
  for (const NodeId id : of.where([](const flow::Node& node) { return node.op != nullptr; })) {
    if (!makes_gradients(of, id, clipping.optimizer)) continue;
    const auto met = of.path(
        id, [&](NodeId at) { return at == clipping.clip; },
        [&](NodeId at) {
          const flow::Node& node = of.node(at);
          if (node.is(Kind::Step) || node.is(Kind::ScalerStep))
            return flow::intersect(of.stepped(at), clipping.optimizer.self);
          return node.is(Kind::ZeroGrad) && surely_clears(of, at, clipping.optimizer, id);
        });
    if (met) return true;
  }
  return false;
}

bool follows_step(const Analysis& of, const Clipping& clipping) {
  const flow::LoopId loop = of.innermost_loop(clipping.step);
  const NodeId latch = of.loop_latch(loop);
  return of
      .path(
          clipping.step, [&](NodeId at) { return at == clipping.clip; },
          [&](NodeId at) { return at == latch || makes_gradients(of, at, clipping.optimizer); })
      .has_value();
}

}  // namespace forerun::rules
