// A whole process on the simulated device: the specs that ran before, then three steps of the one
// asked about.
#pragma once

#include <vector>

#include "core/result.h"
#include "core/spec.h"
#include "estimator/graph/graph.h"
#include "estimator/ops/tape.h"

namespace forerun::autograd {

inline constexpr int kSteps = 3;

// A spec that ran earlier in the process, with its graph: one step, then its model, optimizer and
// loss are deleted and the cache is emptied. A batch of the same shapes, dtypes and size stays on
// the device.
struct Run {
  const Spec* spec = nullptr;
  const graph::Graph* graph = nullptr;
};

// Every allocation and free from the start of the process, in PyTorch's order. Errors: what PyTorch
// itself would stop at (an in-place relu that overwrites what another layer keeps), with the spec's
// position.
Result<ops::Recording> schedule(const std::vector<Run>& before, const Run& last,
                                const devices::Device& device);

}  // namespace forerun::autograd
