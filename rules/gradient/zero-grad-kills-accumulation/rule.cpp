#include <set>

#include "rules/accumulation.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using ir::Kind;

bool in_every_round(const Analysis& of, const AccumulationWindow& window, NodeId clearing) {
  return of.innermost_loop(clearing) == window.micro && of.every_round(window.micro, clearing);
}

// Every micro-batch clears what the ones before it added: the step uses the
// last one alone.
void check(const Analysis& of, Findings& found) {
  std::set<NodeId> reported;
  for (const AccumulationWindow& window : accumulation_windows(of)) {
    if (handles_gradients(of, window.micro) || !of.every_round(window.micro, window.backward))
      continue;
    for (const NodeId clearing : of.all(Kind::ZeroGrad)) {
      if (!of.graph().in(window.micro, clearing) || reported.contains(clearing)) continue;
      if (!surely_clears(of, clearing, window.optimizer, window.backward)) continue;
      if (!in_every_round(of, window, clearing)) continue;
      reported.insert(clearing);
      auto draft = found.at(clearing,
                            "gradients are cleared for every micro-batch, so "
                            "the step uses the last alone");
      draft.note(window.backward, "backward() adds the gradients of one micro-batch");
      draft.note(window.step, window.nested() ? "the step comes after the loop"
                                              : "the step comes once in several rounds");
      draft.help(
          "clear right after the step, or before the first micro-batch "
          "of the window");
    }
  }
}

}  // namespace

extern const Rule zero_grad_kills_accumulation;
constinit const Rule zero_grad_kills_accumulation{Level::Error, check, kinds(Kind::ZeroGrad), true};

}  // namespace forerun::rules
