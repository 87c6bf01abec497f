#include "estimator/autograd/scaler.h"

#include <algorithm>
#include <utility>

#include "estimator/ops/activation.h"
#include "estimator/ops/reduction.h"

namespace forerun::autograd {
namespace {

using ops::Category;
using ops::Runtime;
using ops::Tensor;
using ops::Tensors;

constexpr std::int64_t kForeachChunk = 65536;  // MultiTensorApply.cuh

Tensor scalar(Runtime& run, DType dtype, std::string what) {
  return run.empty({}, dtype, Category::Temporaries, std::move(what));
}

}  // namespace

Tensor GradScaler::scale(Runtime& run, const Tensor& loss) {
  if (!scale_) {
    scale_ = run.empty({}, DType::Float32, Category::OptimizerState, "gradient scale");
    growth_tracker_ =
        run.empty({}, DType::Int32, Category::OptimizerState, "gradient scale growth tracker");
  }
  return ops::multiply(run, loss, scale_);
}

// _unscale_grads_: one call over all gradients; the copies are _MultiDeviceReplicator's. Gives the
// one of found_inf.
Tensor GradScaler::check(Runtime& run, const Tensor&) {
  const Tensor found = scalar(run, DType::Float32, "found_inf");
  Tensor found_copy = scalar(run, DType::Float32, "found_inf of the device");
  const Tensor inverse_copy = scalar(run, DType::Float32, "inverse scale of the device");
  run.launch("_amp_foreach_non_finite_check_and_unscale_", {&found_copy, &inverse_copy});
  return found_copy;
}

void GradScaler::unscale(Runtime& run) {
  run.tape.refine("unscale gradients");
  Tensor widened = scalar(run, DType::Float64, "scale in float64");
  Tensor reciprocal = scalar(run, DType::Float64, "inverse scale in float64");
  widened = {};
  const Tensor inverse = scalar(run, DType::Float32, "inverse scale");
  reciprocal = {};
  found_inf_ = check(run, inverse);
}

void GradScaler::step(Runtime& run, Optimizer& optimizer,
                      const std::vector<Parameter*>& parameters) {
  if (!optimizer.takes_scale()) {
    if (!found_inf_) unscale(run);
    optimizer.step(run, parameters);
    return;
  }
  const bool unscaled = static_cast<bool>(found_inf_);
  if (!unscaled) {
    const Tensor one = scalar(run, DType::Float32, "unit inverse scale");
    found_inf_ = check(run, one);
  }
  const Tensor found_sum = scalar(run, DType::Float32, "found_inf sum");
  Tensor combined;
  if (!unscaled) combined = scalar(run, DType::Float32, "combined scale");
  optimizer.step(run, parameters);
}

void clip_grad_norm(Runtime& run, const std::vector<Parameter*>& parameters) {
  run.tape.refine("clip_grad_norm_: norms of the gradients");
  const auto count = static_cast<std::int64_t>(parameters.size());
  const DType dtype = parameters[0]->value.dtype;
  std::int64_t chunks = 1;
  for (const Parameter* parameter : parameters) {
    chunks = std::max(chunks, (parameter->value.elements() + kForeachChunk - 1) / kForeachChunk);
  }
  Tensors norms;
  {
    // The partial norms are accumulated in float whatever the gradients are.
    const Tensor partial = run.empty({count * chunks}, DType::Float32, Category::Temporaries,
                                     "partial gradient norms");
    for (std::int64_t i = 0; i < count; ++i) norms.push_back(scalar(run, dtype, "gradient norm"));
    run.launch("_foreach_norm", {&partial});
  }
  Tensor stacked = run.empty({count}, dtype, Category::Temporaries, "stacked gradient norms");
  const Tensor total = scalar(run, dtype, "total gradient norm");
  run.launch("linalg_vector_norm", {&stacked, &total});
  stacked = {};
  norms.clear();

  run.tape.refine("clip_grad_norm_: scaling the gradients");
  Tensor shifted = scalar(run, dtype, "total norm + 1e-6");
  Tensor inverse = scalar(run, dtype, "reciprocal norm");
  const Tensor coefficient = scalar(run, dtype, "clip coefficient");
  inverse = {};
  shifted = {};
  const Tensor clamped = scalar(run, dtype, "clamped clip coefficient");
  double bytes = 0;
  for (const Parameter* parameter : parameters)
    bytes += static_cast<double>(parameter->value.bytes());
  run.tape.launch("_foreach_norm", dtype, 0, bytes);
  run.tape.launch("_foreach_mul_", dtype, 0, 2 * bytes);
}

void clip_grad_norm_of_libtorch(Runtime& run, const std::vector<Parameter*>& parameters) {
  run.tape.refine("clip_grad_norm_: norms of the gradients");
  const DType dtype = parameters[0]->value.dtype;
  const auto norm = [&](std::int64_t elements, std::string what) {
    Tensor made = scalar(run, dtype, std::move(what));
    ops::reduce(run, "norm", {1, elements, ops::Reduction::Over::Inner, dtype, dtype});
    return made;
  };
  Tensor total;
  {
    Tensors norms;
    for (const Parameter* parameter : parameters)
      norms.push_back(norm(parameter->value.elements(), "gradient norm"));
    if (norms.size() == 1) {
      total = norms[0];
    } else {
      const auto count = static_cast<std::int64_t>(norms.size());
      const Tensor stacked =
          run.empty({count}, dtype, Category::Temporaries, "stacked gradient norms");
      total = norm(count, "total gradient norm");
    }
  }
  run.tape.refine("clip_grad_norm_: scaling the gradients");
  Tensor coefficient;
  {
    const Tensor shifted = scalar(run, dtype, "total norm + 1e-6");
    coefficient = scalar(run, dtype, "clip coefficient");
  }
  const Tensor clamped = scalar(run, dtype, "clamped clip coefficient");
  for (const Parameter* parameter : parameters)
    run.launch("mul_", {&parameter->value, &parameter->value});
}

}  // namespace forerun::autograd
