#include <set>

#include "rules/manual_autocast.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using ir::Kind;

bool clears_cache(const flow::Node& node) {
  return node.is(Kind::Call) &&
         (node.op->callee == "clear_cache" || node.op->callee == "clear_autocast_cache");
}

// The casts of the weights are not kept at all.
bool cache_is_off(const Analysis& of) {
  for (const NodeId id : of.all(Kind::Call)) {
    if (of.node(id).op->callee == "set_autocast_cache_enabled") return true;
  }
  return false;
}

// A loop that changes the weights: it steps an optimizer.
LoopId changing_loop(const Analysis& of, NodeId forward) {
  for (const LoopId loop : of.loops_around(forward)) {
    for (const NodeId step : of.all({Kind::Step, Kind::ScalerStep})) {
      if (of.graph().in(loop, step)) return loop;
    }
  }
  return flow::kNone;
}

bool clears_in(const Analysis& of, LoopId loop) {
  for (const NodeId id : of.all(Kind::Call)) {
    if (of.graph().in(loop, id) && clears_cache(of.node(id))) return true;
  }
  return false;
}

// Autocast keeps the half-precision copy of every weight until its cache is
// cleared, which only Python's context manager does: after the first step the
// forward uses old weights.
void check(const Analysis& of, Findings& found) {
  if (cache_is_off(of)) return;
  std::set<LoopId> reported;
  for (const NodeId on : of.all(Kind::Call)) {
    if (sets_autocast(of.node(on)) != true) continue;
    for (const NodeId forward : of.all(Kind::Forward)) {
      const LoopId loop = changing_loop(of, forward);
      if (loop == flow::kNone || reported.contains(loop) || clears_in(of, loop)) continue;
      const auto met = of.path(
          on, [&](NodeId at) { return at == forward; },
          [&](NodeId at) { return sets_autocast(of.node(at)) == false; });
      if (!met) continue;
      reported.insert(loop);
      const NodeId seen = of.seen_from(loop, forward);
      found
          .at(seen,
              "autocast keeps the cast weights of the first step: this "
              "forward never sees "
              "the updated ones")
          .note(on, "autocast is switched on here")
          .note(of.loop(loop).at, "the weights change in every round of this loop")
          .help("call at::autocast::clear_cache() after every step");
    }
  }
}

}  // namespace

extern const Rule autocast_cache_not_cleared;
constinit const Rule autocast_cache_not_cleared{Level::Error, check,   kinds(Kind::Call),
                                                false,        nullptr, {autocast_trigger}};

}  // namespace forerun::rules
