#include "verifier/run/amp.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/full.h>

namespace forerun::run {
namespace {

constexpr double kInitialScale = 65536;
constexpr double kGrowthFactor = 2;
constexpr double kBackoffFactor = 0.5;
constexpr std::int64_t kGrowthInterval = 2000;

at::Tensor scalar_on(at::Device device, double value, at::ScalarType dtype = at::kFloat) {
  return at::full({}, value, at::TensorOptions().dtype(dtype).device(device));
}

}  // namespace

Autocast::Autocast(at::DeviceType device, std::optional<at::ScalarType> dtype)
    : device_(device), active_(dtype.has_value()) {
  if (!active_) return;
  was_enabled_ = at::autocast::is_autocast_enabled(device_);
  was_caching_ = at::autocast::is_autocast_cache_enabled();
  was_dtype_ = at::autocast::get_autocast_dtype(device_);
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::set_autocast_dtype(device_, *dtype);
  at::autocast::increment_nesting();
  at::autocast::set_autocast_cache_enabled(true);
}

Autocast::~Autocast() {
  if (!active_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, was_enabled_);
  at::autocast::set_autocast_dtype(device_, was_dtype_);
  at::autocast::set_autocast_cache_enabled(was_caching_);
}

at::Tensor GradScaler::scale(const at::Tensor& loss) {
  if (!enabled_) return loss;
  if (!scale_.defined()) {
    scale_ = scalar_on(loss.device(), kInitialScale);
    growth_tracker_ = scalar_on(loss.device(), 0, at::kInt);
  }
  return loss * scale_;
}

at::Tensor GradScaler::check_and_unscale(const std::vector<at::Tensor>& parameters,
                                         const at::Tensor& inv_scale) {
  at::Tensor found_inf = scalar_on(scale_.device(), 0);
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> grads;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) grads.push_back(parameter.grad());
  }
  if (!grads.empty()) at::_amp_foreach_non_finite_check_and_unscale_(grads, found_inf, inv_scale);
  return found_inf;
}

void GradScaler::unscale(const std::vector<at::Tensor>& parameters) {
  if (!enabled_) return;
  // The reciprocal goes through double, as Python's does for exactness.
  const at::Tensor inv_scale = scale_.to(at::kDouble).reciprocal().to(at::kFloat);
  found_inf_ = check_and_unscale(parameters, inv_scale);
  unscaled_ = true;
}

void GradScaler::step(Optimizer& optimizer, const std::vector<at::Tensor>& parameters) {
  if (!enabled_) return optimizer.step();
  if (optimizer.scales_itself()) return step_fused(optimizer, parameters);
  if (!unscaled_) unscale(parameters);
  if (found_inf_.item<double>() == 0) optimizer.step();
}

void GradScaler::step_fused(Optimizer& optimizer, const std::vector<at::Tensor>& parameters) {
  if (!unscaled_) {
    const at::Tensor one = scalar_on(scale_.device(), 1);
    found_inf_ = check_and_unscale(parameters, one);
  }
  // Python adds the per-device flags to a number and multiplies the scale by 1: two new 0-dim
  // tensors.
  at::Tensor found_inf = found_inf_ + 0;
  at::Tensor grad_scale = unscaled_ ? at::Tensor() : scale_ * 1;
  optimizer.set_scale(grad_scale, found_inf);
  grad_scale.reset();
  found_inf.reset();
  optimizer.step();
  optimizer.set_scale({}, {});
}

void GradScaler::update() {
  if (!enabled_) return;
  at::_amp_update_scale_(scale_, growth_tracker_, found_inf_, kGrowthFactor, kBackoffFactor,
                         kGrowthInterval);
  found_inf_.reset();
  unscaled_ = false;
}

}  // namespace forerun::run
