#include <algorithm>

#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using ir::Kind;

// LBFGS evaluates its closure several times for one step; without clearing
// inside it every evaluation adds to the gradients of those before.
void check(const Analysis& of, Findings& found) {
  for (const NodeId step : of.all(Kind::Step)) {
    const Optimizer optimizer = optimizer_of(of, step);
    const LoopId closure = closure_loop(of, step);
    if (closure == flow::kNone || !is_lbfgs(of, optimizer)) continue;
    if (cleared_inside(of, closure, optimizer)) continue;
    for (const NodeId backward : of.all(Kind::Backward)) {
      if (!of.graph().in(closure, backward)) continue;
      found
          .at(backward,
              "LBFGS calls this closure several times a step, and "
              "nothing in it clears "
              "the gradients")
          .note(step, "the step runs the closure")
          .help("call zero_grad() at the start of the closure");
      break;
    }
  }
}

}  // namespace

extern const Rule lbfgs_no_zero_grad_in_closure;
constinit const Rule lbfgs_no_zero_grad_in_closure{Level::Error, check, kinds(Kind::Step)};

}  // namespace forerun::rules
