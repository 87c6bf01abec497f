#include "rules/clipping.h"

namespace forerun::rules {
namespace {

// The step has used the gradients when they are clipped.
void check(const flow::Analysis& of, Findings& found) {
  for (const Clipping& one : clippings(of)) {
    if (!follows_step(of, one) || meets_fresh_gradients(of, one)) continue;
    found.at(one.clip, "gradients are clipped after the step that used them")
        .note(one.step, "the step uses them unclipped")
        .help("clip between backward() and step()");
  }
}

}  // namespace

extern const Rule clip_after_step;
constinit const Rule clip_after_step{Level::Error, check, kinds(ir::Kind::ClipGrad)};

}  // namespace forerun::rules
