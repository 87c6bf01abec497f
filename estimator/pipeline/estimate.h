// spec -> graph -> schedule -> trace -> report: the pure functions of the estimator, in order.
#pragma once

#include <vector>

#include "core/report.h"
#include "core/result.h"
#include "core/spec.h"
#include "estimator/devices/device.h"

namespace forerun::pipeline {

// Several specs share one process in the order given, as `after:` would say it; one Estimate a
// spec.
Result<std::vector<Estimate>> estimate(const std::vector<Spec>& specs,
                                       const devices::Device& device);

}  // namespace forerun::pipeline
