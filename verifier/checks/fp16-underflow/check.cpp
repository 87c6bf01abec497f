// Why a gradient scaler exists: a small gradient is zero in float16 and survives when scaled first.
#include <cmath>

#include <ATen/Tensor.h>
#include <ATen/ops/scalar_tensor.h>
#include <fmt/format.h>

#include "verifier/checks/catalog.h"

namespace forerun::checks {
namespace {

constexpr double kSmall = 1e-8;
constexpr double kScale = 65536;  // GradScaler's initial scale

Outcome run() {
  const at::Tensor small = at::scalar_tensor(kSmall, at::kFloat);
  const double lost = small.to(at::kHalf).item<double>();
  const at::Tensor scaled = small.mul(kScale).to(at::kHalf);
  const double restored = scaled.to(at::kFloat).div(kScale).item<double>();
  return {lost == 0 && std::abs(restored - kSmall) < kSmall * 1e-3,
          fmt::format("{:g} in fp16 is {:.1f}; scaled by {:g}: {:.5g}; unscaled in fp32: {:.4e}",
                      kSmall, lost, kScale, scaled.item<double>(), restored),
          "zero unscaled, and within 0.1 % of the value after scaling and unscaling"};
}

}  // namespace

extern const Check fp16_underflow;
const Check fp16_underflow{"a gradient of 1e-8 is lost in fp16 and kept by loss scaling", &run};

}  // namespace forerun::checks
