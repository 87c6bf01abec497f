#include <set>

#include "rules/accumulation.h"
#include "rules/clipping.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using ir::Kind;

// From the backward of one micro-batch to the next one, past the clip and
// without a step.
bool clips_within(const Analysis& of, const AccumulationWindow& window, NodeId clip) {
  const NodeId latch = of.loop_latch(window.micro);
  // Any step: with and without a loss scaler there is one on each path.
  auto is_step = [&](NodeId at) {
    return of.node(at).is(Kind::Step) || of.node(at).is(Kind::ScalerStep);
  };
  const bool clipped =
      of.path(
            window.backward, [&](NodeId at) { return at == clip; }, is_step, window.micro)
          .has_value();
  const bool goes_on = of.path(
                             clip, [&](NodeId at) { return at == latch; }, is_step, window.micro)
                           .has_value();
  return clipped && goes_on;
}

// Clipping what has been summed so far, micro-batch after micro-batch, weighs
// the first ones less and bounds nothing.
void check(const Analysis& of, Findings& found) {
  std::set<NodeId> reported;
  for (const AccumulationWindow& window : accumulation_windows(of)) {
    if (handles_gradients(of, window.micro)) continue;
    if (window.nested() && cleared_inside(of, window.micro, window.optimizer)) continue;
    for (const NodeId clip : of.all(Kind::ClipGrad)) {
      if (reported.contains(clip) || of.innermost_loop(clip) != window.micro) continue;
      if (!of.overlap(clipped(of, clip), window.optimizer.parameters)) continue;
      if (!clips_within(of, window, clip)) continue;
      reported.insert(clip);
      found
          .at(clip,
              "gradients are clipped for every micro-batch, not once "
              "before the step")
          .note(window.step, "the step comes once in several rounds")
          .help("clip right before the step");
    }
  }
}

}  // namespace

extern const Rule clip_per_microbatch;
constinit const Rule clip_per_microbatch{Level::Warning, check, kinds(Kind::ClipGrad), true};

}  // namespace forerun::rules
