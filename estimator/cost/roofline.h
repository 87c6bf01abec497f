// A first, rough time: each kernel takes the longer of its arithmetic and its memory traffic, and a
// floor; a step takes the longer of its kernels and of launching them from Python.
#pragma once

#include <span>

#include "core/report.h"
#include "core/spec.h"
#include "estimator/devices/device.h"
#include "estimator/ops/tape.h"

namespace forerun::cost {

// What the three ends of the interval assume. The expected fractions are what public timings of
// eager PyTorch on these GPUs give at the median (dense products reach 0.6 of the datasheet's peak,
// streaming kernels 0.75 of its bandwidth); low is the roofline itself, high what small and awkward
// shapes reach.
struct Assumptions {
  double flops_fraction;
  double bandwidth_fraction;
  double kernel_floor_s;  // start and end of one kernel on the device
  double launch_s;        // Python and dispatcher, one launch
};
inline constexpr Assumptions kLow{1.0, 1.0, 2e-6, 4e-6};
inline constexpr Assumptions kExpected{0.6, 0.75, 2.5e-6, 10e-6};
inline constexpr Assumptions kHigh{0.3, 0.5, 4e-6, 25e-6};

// Of the kernels of one steady step. A device without a figure for an arithmetic uses the next
// slower one it has.
TimeEstimate estimate(std::span<const ops::Kernel> kernels, const Spec& spec,
                      const devices::Device& device);

// FLOP/s of a dense product: fp32 stays fp32, since PyTorch leaves TF32 off for products by
// default.
double peak_flops_per_s(const devices::Device& device, DType dtype);

// --- the length of a run ---
// ceil(dataset / batch): the last, smaller batch is a step too.
std::int64_t batches_per_epoch(std::int64_t dataset_size, std::int64_t batch_size);
// One optimizer step every `accumulation` batches, counted over the whole run; a last incomplete
// group steps too.
std::int64_t optimizer_steps(std::int64_t batches_per_epoch, std::int64_t epochs,
                             std::int64_t accumulation);

}  // namespace forerun::cost
