// The intermediates, for --stop-after and for tests.
#pragma once

#include <vector>

#include "core/result.h"
#include "core/spec.h"
#include "estimator/devices/device.h"
#include "estimator/graph/graph.h"
#include "estimator/ops/tape.h"

namespace forerun::pipeline {

struct Stages {
  graph::Graph graph;
  ops::Recording recording;  // the schedule
};

// What runs before specs[index] in its process: the `after:` chains and the specs before it on the
// command line.
std::vector<const Spec*> history(const std::vector<Spec>& specs, std::size_t index);

// Errors name what is not modelled, with its place.
Status check_supported(const Spec& spec);

Result<Stages> build_stages(const std::vector<const Spec*>& before, const Spec& spec,
                            const devices::Device& device);

}  // namespace forerun::pipeline
