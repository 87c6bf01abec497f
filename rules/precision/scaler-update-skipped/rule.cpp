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

// The innermost loop that holds both the use and an update of the scaler.
LoopId round_of(const Analysis& of, NodeId use, const Values& scaler) {
  for (const LoopId loop : of.loops_around(use)) {
    for (const NodeId update : of.all(Kind::ScalerUpdate)) {
      if (flow::intersect(of.node(update).receiver, scaler) && of.graph().in(loop, update))
        return loop;
    }
  }
  return flow::kNone;
}

// The step is left for later rounds by a condition that holds every k-th time:
// unscaling before it is another mistake.
bool waits_for_window(const Analysis& of, NodeId use, LoopId loop) {
  for (const NodeId update : of.all(Kind::ScalerUpdate)) {
    for (const Analysis::Guard& guard : of.guards(update, loop)) {
      bool shared = false;
      for (const Analysis::Guard& other : of.guards(use, loop))
        shared |= other.branch == guard.branch && other.taken == guard.taken;
      if (!shared && is_periodic(of, guard.branch)) return true;
    }
  }
  return false;
}

// The jump that leaves the round on the way, where there is one: the line a
// reader has to change.
NodeId leaving_jump(const Analysis& of, NodeId use, const Values& scaler, LoopId loop) {
  const NodeId latch = of.loop_latch(loop);
  auto is_update = [&](NodeId at) { return updates(of, at, scaler); };
  for (const NodeId jump :
       of.where([](const flow::Node& node) { return node.form == flow::Node::Form::Jump; })) {
    if (!of.graph().in(loop, jump) || of.node(jump).jump->form != ir::Jump::Form::Continue)
      continue;
    if (of.path(
            use, [&](NodeId at) { return at == jump; }, is_update, loop) &&
        of.path(
            jump, [&](NodeId at) { return at == latch; }, is_update, loop))
      return jump;
  }
  return flow::kNone;
}

// The rounds that run backward and step hold no update at all: it comes once for many of them.
bool comes_too_seldom(const Analysis& of, NodeId use, LoopId round) {
  const LoopId inner = of.innermost_loop(use);
  if (inner == round || is_one_of_many(of, of.stepped(use)) || !of.node(use).is(Kind::ScalerStep))
    return false;
  for (const NodeId backward : of.all(Kind::Backward)) {
    if (of.graph().in(inner, backward)) return true;
  }
  return false;
}

// On some path a round ends after unscale_() or step() without update(): the
// next unscale raises, and the scale is never lowered.
void check(const Analysis& of, Findings& found) {
  std::set<NodeId> reported;
  for (const NodeId use : of.all({Kind::ScalerStep, Kind::Unscale})) {
    const Values& scaler = of.node(use).receiver;
    if (scaler.size() != 1 || is_disabled(of, scaler)) continue;
    const LoopId loop = round_of(of, use, scaler);
    if (loop == flow::kNone || waits_for_window(of, use, loop)) continue;
    const NodeId latch = of.loop_latch(loop);
    const auto skipping = of.path(
        use, [&](NodeId at) { return at == latch; },
        [&](NodeId at) { return updates(of, at, scaler); }, loop);
    if (!skipping && !comes_too_seldom(of, use, loop)) continue;
    const NodeId jump = leaving_jump(of, use, scaler, loop);
    if (!reported.insert(jump == flow::kNone ? use : jump).second) continue;
    if (jump == flow::kNone && !reported.insert(of.loop(loop).head).second) continue;
    auto draft =
        found.at(jump == flow::kNone ? use : jump,
                 jump == flow::kNone ? "on some path the round ends without the scaler's update()"
                                     : "the round is left here without the scaler's update()");
    if (jump != flow::kNone)
      draft.note(use, of.node(use).is(Kind::Unscale) ? "gradients were unscaled here"
                                                     : "the scaler stepped here");
    draft.help("call " + called(of, scaler, "scaler") +
               ".update() on every path that unscales or steps");
  }
}

std::uint32_t trigger(const ir::Op& op) {
  return op.kind == Kind::ScalerStep || op.kind == Kind::Unscale;
}

}  // namespace

extern const Rule scaler_update_skipped;
constinit const Rule scaler_update_skipped{Level::Error, check,   kinds(Kind::ScalerUpdate),
                                           true,         nullptr, {trigger}};

}  // namespace forerun::rules
