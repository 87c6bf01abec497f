#include "rules/clipping.h"

namespace forerun::rules {
namespace {

// There are no gradients to clip yet: backward comes later, and the step uses
// them as they are.
void check(const flow::Analysis& of, Findings& found) {
  for (const Clipping& one : clippings(of)) {
    if (follows_step(of, one) || meets_fresh_gradients(of, one)) continue;
    const bool backward_follows =
        of.path(
              one.clip, [&](flow::NodeId at) { return at == one.backward; },
              [&](flow::NodeId at) { return at == of.loop_latch(of.innermost_loop(one.clip)); })
            .has_value();
    if (!backward_follows) continue;
    found.at(one.clip, "gradients are clipped before backward() computes them")
        .note(one.backward, "backward() makes them here")
        .note(one.step, "and the step uses them unclipped")
        .help("clip between backward() and step()");
  }
}

}  // namespace

extern const Rule clip_before_backward;
constinit const Rule clip_before_backward{Level::Error, check, kinds(ir::Kind::ClipGrad)};

}  // namespace forerun::rules
