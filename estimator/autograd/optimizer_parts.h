// What the optimizers share: state, temporaries, and the kernels' bytes. Private to this folder.
#pragma once

#include <string_view>
#include <vector>

#include "estimator/autograd/optimizer.h"

namespace forerun::autograd {

using Parameters = std::vector<Parameter*>;

// A tensor like the parameter: optimizer state, or a temporary of the step.
ops::Tensor state_like(ops::Runtime& run, const Parameter& parameter, std::string_view what);
ops::Tensor temporary_like(ops::Runtime& run, const Parameter& parameter, std::string_view what);
ops::Tensors temporaries_like(ops::Runtime& run, const Parameters& parameters,
                              std::string_view what);

// A kernel over every parameter, or over one, that touches each element `passes` times.
void launch_all(ops::Runtime& run, std::string_view kernel, const Parameters& parameters,
                int passes);
void launch_one(ops::Runtime& run, std::string_view kernel, const Parameter& parameter, int passes);

// The gradients a foreach implementation works with where they are not the parameters' own:
// negated for `maximize`, with the decay added (in place on the negated ones). Empty otherwise.
ops::Tensors changed_gradients(ops::Runtime& run, const Parameters& parameters, bool maximizes,
                               bool decays);
// The same for one parameter in a loop; `grad` is the Python name, bound from turn to turn.
void bind_gradient(ops::Runtime& run, const Parameter& parameter, bool maximizes, bool decays,
                   ops::Tensor& grad);

// torch/optim/{adagrad,rmsprop,adamax,nadam}.py
std::unique_ptr<Optimizer> make_other_optimizer(const OptimizerSpec& spec);
// torch::optim's loops, one parameter after another.
std::unique_ptr<Optimizer> make_libtorch_optimizer(const OptimizerSpec& spec);

}  // namespace forerun::autograd
