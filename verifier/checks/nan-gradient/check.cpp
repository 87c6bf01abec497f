// A mask after the square root hides the infinite slope from the value, not from the gradient; a
// mask before it does.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ATen/Tensor.h>
#include <ATen/TensorOptions.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/isnan.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "verifier/checks/catalog.h"

namespace forerun::checks {
namespace {

at::Tensor leaf() { return at::tensor({0.0, 4.0}, at::kDouble).requires_grad_(true); }

at::Tensor gradient_masked_after() {
  at::Tensor x = leaf();
  at::where(x.gt(0), at::sqrt(x), at::zeros_like(x)).sum().backward();
  return x.grad();
}

at::Tensor gradient_masked_before() {
  at::Tensor x = leaf();
  const at::Tensor safe = at::where(x.gt(0), x, at::ones_like(x));
  at::where(x.gt(0), at::sqrt(safe), at::zeros_like(x)).sum().backward();
  return x.grad();
}

std::vector<std::int64_t> bad_rows(const at::Tensor& rows) {
  const at::Tensor finite = at::isfinite(rows).all(1);
  std::vector<std::int64_t> bad;
  for (std::int64_t i = 0; i < finite.size(0); ++i) {
    if (!finite[i].item<bool>()) bad.push_back(i);
  }
  return bad;
}

// Without the sign that a NaN may carry.
std::string text(double value) { return std::isnan(value) ? "nan" : fmt::format("{:g}", value); }

Outcome run() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto bad = bad_rows(at::tensor({nan, 1.0, 2.0, 3.0}, at::kDouble).reshape({2, 2}));
  const at::Tensor after = gradient_masked_after(), before = gradient_masked_before();
  const bool nan_after = at::isnan(after[0]).item<bool>();
  const bool finite_before = at::isfinite(before).all().item<bool>();
  return {nan_after && finite_before && bad == std::vector<std::int64_t>{0},
          fmt::format("bad rows [{}]; where(x>0, sqrt(x), 0) at 0: gradient {}, with the input "
                      "masked first: {}",
                      fmt::join(bad, ", "), text(after[0].item<double>()),
                      text(before[0].item<double>())),
          "row 0 named, nan when the output is masked, 0 when the input is"};
}

}  // namespace

extern const Check nan_gradient;
const Check nan_gradient{
    "rows with NaN are found, and masking the input keeps NaN out of a gradient", &run};

}  // namespace forerun::checks
