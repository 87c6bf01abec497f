#include <algorithm>
#include <iterator>

#include "rules/accumulation.h"
#include "rules/no_sync.h"
#include "rules/process_group.h"
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

// Some round certainly steps and certainly reduces no gradients.
bool steps_unreduced(const Analysis& of, LoopId loop, const std::vector<NodeId>& reductions,
                     NodeId step) {
  for (long i = 0; i < 2 * kEvery; ++i) {
    if (!met_in_round(of, loop, step, i, kEvery).value_or(false)) continue;
    if (std::all_of(reductions.begin(), reductions.end(), [&](NodeId reduction) {
          return !met_in_round(of, loop, reduction, i, kEvery).value_or(true);
        }))
      return true;
  }
  return false;
}

// A program that reduces gradients itself, in other rounds than those it steps in.
void reduced_by_hand(const Analysis& of, Findings& found) {
  const std::vector<NodeId> all = gradient_reductions(of);
  if (all.empty()) return;
  for (const AccumulationWindow& window : accumulation_windows(of)) {
    std::vector<NodeId> reductions;
    std::copy_if(all.begin(), all.end(), std::back_inserter(reductions),
                 [&](NodeId one) { return of.graph().in(window.micro, one); });
    if (window.nested() || reductions.empty() ||
        !steps_unreduced(of, window.micro, reductions, window.step))
      continue;
    found
        .at(reductions.front(),
            "gradients are reduced in other rounds than those that step with them")
        .note(window.step, "each process steps here with gradients of its own")
        .help("reduce them in the round that steps, before the step");
  }
}

// Gradients are summed over the processes by the backward that is not under no_sync; when the one
// before the step is, every process steps with its own gradients and the models drift apart.
void check(const Analysis& of, Findings& found) {
  reduced_by_hand(of, found);
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
