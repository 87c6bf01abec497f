#include <set>

#include "rules/accumulation.h"
#include "rules/scaling.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::Values;
using ir::Kind;

// After update() the scaler starts anew; so it does when a step of another
// round is sure to come.
bool ends_window(const Analysis& of, NodeId id, const Values& scaler) {
  return updates(of, id, scaler);
}

// In a window of micro-batches the unscale stands outside the condition that
// the update has.
bool once_a_micro_batch(const Analysis& of, NodeId unscale, const Values& scaler) {
  const LoopId loop = of.innermost_loop(unscale);
  if (loop == flow::kNone || is_one_of_many(of, of.stepped(unscale))) return false;
  for (const NodeId update : of.all(Kind::ScalerUpdate)) {
    if (!flow::intersect(of.node(update).receiver, scaler)) continue;
    if (!of.graph().in(loop, update)) return true;
    for (const Analysis::Guard& guard : of.guards(update, loop)) {
      bool shared = false;
      for (const Analysis::Guard& other : of.guards(unscale, loop))
        shared |= other.branch == guard.branch && other.taken == guard.taken;
      if (!shared && is_periodic(of, guard.branch)) return true;
    }
  }
  return false;
}

// unscale_() may be called once for an optimizer between updates; the second
// call raises.
void check(const Analysis& of, Findings& found) {
  const std::vector<NodeId> all = of.all(Kind::Unscale);
  std::set<NodeId> reported;
  for (const NodeId first : all) {
    const Values& scaler = of.node(first).receiver;
    if (scaler.size() != 1) continue;
    for (const NodeId second : all) {
      if (reported.contains(second) || of.node(second).receiver != scaler) continue;
      if (of.stepped(first).empty() || of.stepped(first) != of.stepped(second)) continue;
      if (first == second && !once_a_micro_batch(of, first, scaler)) continue;
      if (is_one_of_many(of, of.stepped(first))) continue;
      const NodeId latch = of.loop_latch(of.innermost_loop(first));
      const auto again = of.path(
          first, [&](NodeId at) { return at == second; },
          [&](NodeId at) {
            return ends_window(of, at, scaler) || (first != second && at == latch);
          });
      if (!again) continue;
      reported.insert(second);
      found
          .at(second, first == second ? "gradients are unscaled for every micro-batch, "
                                        "without update() between"
                                      : "gradients of this optimizer are unscaled already")
          .note(first, first == second ? "the same call of the round before" : "unscaled here")
          .help("unscale once, right before clipping and the step");
    }
  }
}

}  // namespace

extern const Rule unscale_twice;
constinit const Rule unscale_twice{Level::Error, check, kinds(Kind::Unscale), true};

}  // namespace forerun::rules
