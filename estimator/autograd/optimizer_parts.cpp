#include "estimator/autograd/optimizer_parts.h"

#include <utility>

namespace forerun::autograd {

using ops::Category;
using ops::Runtime;
using ops::Tensor;
using ops::Tensors;

Tensor state_like(Runtime& run, const Parameter& parameter, std::string_view what) {
  return run.empty(parameter.value.shape, parameter.value.dtype, Category::OptimizerState,
                   parameter.name, what);
}

Tensor temporary_like(Runtime& run, const Parameter& parameter, std::string_view what) {
  return run.empty(parameter.value.shape, parameter.value.dtype, Category::Temporaries,
                   parameter.name, what);
}

Tensors temporaries_like(Runtime& run, const Parameters& parameters, std::string_view what) {
  Tensors made;
  for (const Parameter* parameter : parameters)
    made.push_back(temporary_like(run, *parameter, what));
  return made;
}

void launch_all(Runtime& run, std::string_view kernel, const Parameters& parameters, int passes) {
  double bytes = 0;
  for (Parameter* parameter : parameters) bytes += static_cast<double>(parameter->value.bytes());
  run.tape.launch(kernel, DType::Float32, 0, bytes * passes);
}

void launch_one(Runtime& run, std::string_view kernel, const Parameter& parameter, int passes) {
  run.tape.launch(kernel, DType::Float32, 0, static_cast<double>(parameter.value.bytes()) * passes);
}

Tensors changed_gradients(Runtime& run, const Parameters& parameters, bool maximizes, bool decays) {
  if (!maximizes && !decays) return {};
  run.tape.refine(maximizes ? "optimizer step: _foreach_neg(gradients)"
                            : "optimizer step: _foreach_add(gradients, parameters)");
  Tensors changed =
      temporaries_like(run, parameters, maximizes ? "negated gradient" : "decayed gradient");
  if (maximizes) launch_all(run, "_foreach_neg", parameters, 2);
  if (decays) launch_all(run, "_foreach_add", parameters, 3);
  return changed;
}

void bind_gradient(Runtime& run, const Parameter& parameter, bool maximizes, bool decays,
                   Tensor& grad) {
  grad = parameter.gradient;
  if (maximizes) {
    grad = temporary_like(run, parameter, "negated gradient");
    launch_one(run, "neg", parameter, 2);
  }
  if (!decays) return;
  Tensor decayed = temporary_like(run, parameter, "decayed gradient");
  launch_one(run, "add", parameter, 3);
  grad = std::move(decayed);
}

}  // namespace forerun::autograd
