#include <algorithm>
#include <set>

#include "rules/scaling.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::Values;
using ir::Kind;

// What makes the gradients plain again, or hands the step to the scaler.
bool settles(const Analysis& of, NodeId id, const Values& scalers, const Optimizer& optimizer) {
  const flow::Node& node = of.node(id);
  if (node.is(Kind::ScalerStep) || node.is(Kind::Unscale))
    return flow::intersect(of.stepped(id), optimizer.self) || is_one_of_many(of, of.stepped(id));
  if (node.is(Kind::GradWrite)) return true;  // divided by hand
  if (node.is(Kind::ZeroGrad)) return clears(of, id, optimizer);
  return of.may_touch(id, scalers);
}

// Every backward that puts gradients where this optimizer steps runs a scaled
// loss, on every path that is consistent with the way to the step.
bool all_scaled(const Analysis& of, NodeId step, const Optimizer& optimizer) {
  for (const NodeId backward : of.all(Kind::Backward)) {
    if (!may_feed(of, backward, optimizer) || !scalers_of(of, backward).empty()) continue;
    const bool meets =
        of.path(
              backward, [&](NodeId at) { return at == step; },
              [&](NodeId at) { return clears(of, at, optimizer); }, of.innermost_loop(step))
            .has_value();
    if (meets && !optimizer.parameters.known) return false;
    if (meets && surely_feeds(of, backward, optimizer)) return false;
  }
  return true;
}

// The loss was scaled, and the optimizer steps past the scaler: with gradients
// thousands of times too large, infinities included.
void check(const Analysis& of, Findings& found) {
  std::set<NodeId> reported;
  for (const NodeId step : of.all(Kind::Step)) {
    const Optimizer optimizer = optimizer_of(of, step);
    if (optimizer.self.empty() || reported.contains(step)) continue;
    for (const NodeId backward : of.all(Kind::Backward)) {
      const Values scalers = scalers_of(of, backward);
      if (scalers.empty() || is_disabled(of, scalers)) continue;
      if (!may_feed(of, backward, optimizer)) continue;
      const auto plain = of.path(
          backward, [&](NodeId at) { return at == step; },
          [&](NodeId at) { return settles(of, at, scalers, optimizer); });
      if (!plain || !all_scaled(of, step, optimizer)) continue;
      reported.insert(step);
      found
          .at(step,
              "the optimizer steps with gradients that are still "
              "multiplied by the loss scale")
          .note(backward, "backward of the scaled loss makes them here")
          .help("step through the scaler: " + called(of, scalers, "scaler") + ".step(" +
                called(of, optimizer.self, "optimizer") + ")");
      break;
    }
  }
}

std::uint32_t trigger(const ir::Op& op) { return op.kind == Kind::Step; }

}  // namespace

extern const Rule scaled_backward_plain_step;
constinit const Rule scaled_backward_plain_step{Level::Error, check,   kinds(Kind::ScaleLoss),
                                                true,         nullptr, {trigger}};

}  // namespace forerun::rules
