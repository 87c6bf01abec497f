#include "rules/no_sync.h"
#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using ir::Kind;

constexpr long kEvery = 4;  // any number of micro-batches above one shows it

// The last backward before the step runs in a round that certainly does not synchronise.
bool steps_unsynchronised(const Analysis& of, const NoSync& scope, NodeId backward, NodeId step) {
  const LoopId loop = of.innermost_loop(backward);
  if (loop == flow::kNone) return false;
  if (of.innermost_loop(step) != loop) {  // the micro-batches are a loop of their own
    const auto rounds = rounds_of(of, loop, kEvery);
    return rounds && *rounds > 0 &&
           active_in_round(of, loop, scope, *rounds - 1, kEvery).value_or(false);
  }
  for (long i = 0; i < 2 * kEvery; ++i) {
    if (met_in_round(of, loop, step, i, kEvery).value_or(false) &&
        active_in_round(of, loop, scope, i, kEvery).value_or(false))
      return true;
  }
  return false;
}

// Gradients are summed over the processes by the backward that is not under no_sync; when the one
// before the step is, every process steps with its own gradients and the models drift apart.
void check(const Analysis& of, Findings& found) {
  const std::vector<NodeId> steps = of.all({Kind::Step, Kind::ScalerStep});
  for (const NodeId backward : of.all(Kind::Backward)) {
    const auto scope = no_sync_around(of, backward);
    if (!scope) continue;
    for (const NodeId step : steps) {
      const auto next = of.path(
          backward, [&](NodeId at) { return at == step; },
          [&](NodeId at) {
            return at != backward && of.node(at).is(Kind::Backward) && !no_sync_around(of, at);
          });
      if (!next || !steps_unsynchronised(of, *scope, backward, step)) continue;
      found.at(scope->chosen, "no_sync() is active in the round whose gradients are stepped with")
          .note(step, "each process steps here with gradients of its own")
          .help("synchronise in the last micro-batch: no_sync() in all others");
      break;
    }
  }
}

}  // namespace

extern const Rule ddp_no_sync_inverted;
constinit const Rule ddp_no_sync_inverted{Level::Error, check, kinds(Kind::Step, Kind::ScalerStep),
                                          true};

}  // namespace forerun::rules
