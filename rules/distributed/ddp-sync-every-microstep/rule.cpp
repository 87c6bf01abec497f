#include <algorithm>

#include "rules/accumulation.h"
#include "rules/declarations.h"
#include "rules/no_sync.h"
#include "rules/process_group.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using ir::Kind;

bool is_distributed(const Analysis& of, NodeId backward) {
  for (const ValueId owner : of.gradients_of(backward).owners) {
    for (const ValueId one : of.sources({owner})) {
      const ir::Op* maker = of.maker(one);
      if (maker != nullptr && maker->kind == Kind::Construct &&
          maker->callee == "DistributedDataParallel")
        return true;
    }
  }
  return false;
}

bool switches_by_hand(const Analysis& of) {
  return !of.where([](const flow::Node& node) {
              return node.op != nullptr &&
                     std::any_of(node.op->results.begin(), node.op->results.end(),
                                 [](const ir::Place& place) {
                                   return !place.steps.empty() &&
                                          place.steps.back() == "require_backward_grad_sync";
                                 });
            }).empty();
}

// A program that reduces gradients itself, in every round of the micro-batches.
void reduced_by_hand(const Analysis& of, Findings& found) {
  const std::vector<NodeId> reductions = gradient_reductions(of);
  if (reductions.empty()) return;
  for (const AccumulationWindow& window : accumulation_windows(of)) {
    const auto in_every_round =
        std::find_if(reductions.begin(), reductions.end(), [&](NodeId reduction) {
          return of.graph().in(window.micro, reduction) &&
                 of.guards(reduction, window.micro).empty();
        });
    if (in_every_round == reductions.end()) continue;
    found
        .at(*in_every_round,
            "gradients are reduced over the processes in every micro-batch, not once before the "
            "step")
        .note(window.step, "they are stepped with here")
        .help("reduce them after the last micro-batch, before the step");
  }
}

// Each micro-batch sums all gradients over the processes, though only the last sum is used.
void check(const Analysis& of, Findings& found) {
  reduced_by_hand(of, found);
  if (switches_by_hand(of)) return;
  for (const AccumulationWindow& window : accumulation_windows(of)) {
    if (!is_distributed(of, window.backward)) continue;
    bool any = false;
    for (const NodeId backward : of.all(Kind::Backward))
      any |= no_sync_around(of, backward).has_value();
    if (any) return;
    found
        .at(window.backward,
            "gradients are synchronised in every micro-batch, not once before the step")
        .note(window.step, "they are stepped with here")
        .help("run forward and backward of all micro-batches but the last under model.no_sync()");
  }
}

}  // namespace

extern const Rule ddp_sync_every_microstep;
constinit const Rule ddp_sync_every_microstep{Level::Note, check,
                                              kinds(Kind::Step, Kind::ScalerStep), true};

}  // namespace forerun::rules
