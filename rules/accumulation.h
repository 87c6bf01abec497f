// Gradient accumulation as programs write it: backward for every micro-batch, a step for every so
// many of them.
#pragma once

#include <vector>

#include "rules/training.h"

namespace forerun::rules {

// Gated: the step stands in the loop of the micro-batches under a condition that holds every k-th
// time. Nested: the micro-batches are a loop of their own and the step follows it.
struct AccumulationWindow {
  flow::LoopId micro = flow::kNone;
  flow::NodeId backward = flow::kNone;  // once for every micro-batch
  flow::NodeId step = flow::kNone;
  flow::NodeId gate = flow::kNone;  // the branch over the step; none when nested
  Optimizer optimizer;

  bool nested() const { return gate == flow::kNone; }
};
std::vector<AccumulationWindow> accumulation_windows(const flow::Analysis& of);

// A condition that holds every k-th time: it asks for the rest of a division, or says by its name
// that gradients are accumulated.
bool is_periodic(const flow::Analysis& of, flow::NodeId branch);

// Gradients are read or changed by hand in the loop: what is done with them is not known.
bool handles_gradients(const flow::Analysis& of, flow::LoopId loop);

}  // namespace forerun::rules
