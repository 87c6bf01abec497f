#include "estimator/cost/roofline.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>

namespace forerun::cost {
namespace {

struct Sum {
  double device_s = 0;
  double compute_s = 0;  // of the kernels bound by arithmetic
  double memory_s = 0;   // of those bound by traffic
  double launch_s = 0;

  double total() const { return std::max(device_s, launch_s); }
};

Sum add_up(std::span<const ops::Kernel> kernels, std::optional<ops::Phase> phase,
           const Assumptions& with, const devices::Device& device) {
  Sum sum;
  const double bandwidth =
      static_cast<double>(device.memory_bandwidth_bytes_per_s) * with.bandwidth_fraction;
  for (const ops::Kernel& kernel : kernels) {
    if (phase && kernel.phase != *phase) continue;
    const double compute =
        kernel.flops > 0
            ? kernel.flops / (peak_flops_per_s(device, kernel.dtype) * with.flops_fraction)
            : 0;
    const double traffic = kernel.bytes / bandwidth;
    (compute > traffic ? sum.compute_s : sum.memory_s) += std::max(compute, traffic);
    sum.device_s += std::max({compute, traffic, with.kernel_floor_s});
    sum.launch_s += with.launch_s;
  }
  return sum;
}

std::string_view bound(const Sum& sum) {
  if (sum.launch_s > sum.device_s) return "launch";
  return sum.compute_s > sum.memory_s ? "compute" : "memory";
}

DType arithmetic(const Spec& spec) {
  switch (spec.precision) {
    case Precision::Fp32: return DType::Float32;
    case Precision::Fp16Mixed: return DType::Float16;
    case Precision::Bf16:
    case Precision::Bf16Mixed: return DType::BFloat16;
  }
  return DType::Float32;
}

void add_run(TimeEstimate& made, const Spec& spec) {
  if (!spec.dataset_size) return;
  made.steps_per_epoch = batches_per_epoch(*spec.dataset_size, spec.batch_size);
  if (!spec.epochs) return;
  made.optimizer_steps =
      optimizer_steps(*made.steps_per_epoch, *spec.epochs, spec.gradient_accumulation_steps);
  const auto steps = static_cast<double>(*made.optimizer_steps);
  made.run =
      TimeInterval{made.step.low_s * steps, made.step.expected_s * steps, made.step.high_s * steps};
}

}  // namespace

double peak_flops_per_s(const devices::Device& device, DType dtype) {
  constexpr std::array<std::string_view, 3> kBf16{"bf16", "fp16", "fp32"};
  constexpr std::array<std::string_view, 3> kFp16{"fp16", "bf16", "fp32"};
  constexpr std::array<std::string_view, 3> kFp32{"fp32", "fp16", "bf16"};
  const auto& order = dtype == DType::BFloat16 ? kBf16 : dtype == DType::Float16 ? kFp16 : kFp32;
  for (const std::string_view key : order) {
    const auto found = device.peak_flops_per_s.find(std::string(key));
    if (found != device.peak_flops_per_s.end()) return found->second;
  }
  return 1e12;  // no figure at all: a profile is refused before it gets here
}

std::int64_t batches_per_epoch(std::int64_t dataset_size, std::int64_t batch_size) {
  return dataset_size / batch_size + (dataset_size % batch_size != 0 ? 1 : 0);
}

std::int64_t optimizer_steps(std::int64_t batches_per_epoch, std::int64_t epochs,
                             std::int64_t accumulation) {
  std::int64_t batches = 0;
  if (__builtin_mul_overflow(batches_per_epoch, epochs, &batches))
    return std::numeric_limits<std::int64_t>::max();
  return batches / accumulation + (batches % accumulation != 0 ? 1 : 0);
}

TimeEstimate estimate(std::span<const ops::Kernel> kernels, const Spec& spec,
                      const devices::Device& device) {
  TimeEstimate made;
  auto interval = [&](std::optional<ops::Phase> phase) {
    auto total = [&](const Assumptions& with) {
      return add_up(kernels, phase, with, device).total();
    };
    return TimeInterval{total(kLow), total(kExpected), total(kHigh)};
  };
  made.forward = interval(ops::Phase::Forward);
  made.backward = interval(ops::Phase::Backward);
  made.optimizer = interval(ops::Phase::Optimizer);
  made.step = {made.forward.low_s + made.backward.low_s + made.optimizer.low_s,
               made.forward.expected_s + made.backward.expected_s + made.optimizer.expected_s,
               made.forward.high_s + made.backward.high_s + made.optimizer.high_s};
  for (const ops::Kernel& kernel : kernels) {
    made.flops += kernel.flops;
    made.bytes += kernel.bytes;
  }
  made.bound_by = bound(add_up(kernels, std::nullopt, kExpected, device));
  made.mfu = made.flops / peak_flops_per_s(device, arithmetic(spec)) / made.step.expected_s;
  made.confidence =
      "rough: a roofline per kernel with a launch floor, from datasheet numbers; data loading is "
      "not included";
  add_run(made, spec);
  return made;
}

}  // namespace forerun::cost
