#include <set>

#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using ir::Kind;

struct Order {
  const Analysis& of;
  const Optimizer& optimizer;
  NodeId backward;

  bool feeds(NodeId id) const {
    return of.node(id).is(Kind::Backward) && may_feed(of, id, optimizer);
  }
  bool steps(NodeId id) const {
    const flow::Node& node = of.node(id);
    return (node.is(Kind::Step) || node.is(Kind::ScalerStep)) &&
           flow::intersect(of.stepped(id), optimizer.self);
  }
};

// The step can also be reached with gradients: then clearing is what one path
// does on purpose.
bool has_another_way(const Order& order, NodeId clearing, NodeId step) {
  return order.of
      .path(
          order.backward, [&](NodeId at) { return at == step; },
          [&](NodeId at) {
            return at == clearing || surely_clears(order.of, at, order.optimizer, order.backward);
          },
          order.of.innermost_loop(order.backward))
      .has_value();
}

// backward made gradients, they are cleared, and the step that should have used
// them comes after.
void check(const Analysis& of, Findings& found) {
  std::set<NodeId> reported;
  for (const NodeId step : of.all({Kind::Step, Kind::ScalerStep})) {
    const Optimizer optimizer = optimizer_of(of, step);
    if (optimizer.self.size() != 1) continue;
    for (const NodeId backward : of.all(Kind::Backward)) {
      const Order order{of, optimizer, backward};
      if (!order.feeds(backward) || runs_closure(of, step, backward)) continue;
      for (const NodeId clearing : of.all({Kind::ZeroGrad, Kind::GradWrite})) {
        if (reported.contains(clearing) || !surely_clears(of, clearing, optimizer, backward))
          continue;
        const flow::LoopId round = round_of_clearing(of, clearing);
        const bool thrown_away = of.path(
                                       backward, [&](NodeId at) { return at == clearing; },
                                       [&](NodeId at) { return order.steps(at); }, round)
                                     .has_value();
        if (!thrown_away) continue;
        const bool then_stepped = of.path(
                                        clearing, [&](NodeId at) { return at == step; },
                                        [&](NodeId at) {
                                          return order.feeds(at) ||
                                                 may_run_backward(of, at, optimizer) ||
                                                 at == of.loop_latch(round);
                                        })
                                      .has_value();
        if (!then_stepped || has_another_way(order, clearing, step)) continue;
        reported.insert(clearing);
        found.at(clearing, "gradients are cleared before the step that should use them")
            .note(backward, "backward() makes them here")
            .note(step, "the step finds none")
            .help("clear before backward() or after step()");
      }
    }
  }
}

}  // namespace

extern const Rule zero_grad_before_step;
constinit const Rule zero_grad_before_step{Level::Error, check,
                                           kinds(Kind::ZeroGrad, Kind::GradWrite)};

}  // namespace forerun::rules
