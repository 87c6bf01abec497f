// When gradients are clipped relative to the backward that makes them and the step that uses them.
#pragma once

#include <optional>
#include <vector>

#include "rules/training.h"

namespace forerun::rules {

// One clip and the one optimizer whose gradients it clips; clips whose optimizer is not certain are
// left out.
struct Clipping {
  flow::NodeId clip = flow::kNone;
  flow::NodeId step = flow::kNone;
  flow::NodeId backward = flow::kNone;  // one that makes gradients for it
  Optimizer optimizer;
};
std::vector<Clipping> clippings(const flow::Analysis& of);

// Can the clip be reached with gradients that no step has used yet?
bool meets_fresh_gradients(const flow::Analysis& of, const Clipping& clipping);
// A step comes before the clip in the same round, and no backward between.
bool follows_step(const flow::Analysis& of, const Clipping& clipping);

flow::Analysis::Parameters clipped(const flow::Analysis& of, flow::NodeId clip);

}  // namespace forerun::rules
