// The optimizers of a spec. Under framework pytorch-2.11 they issue the operators of
// torch/optim/*.py (2.11), in that order and with Python's lifetimes, because the temporaries of a
// step and the order in which lazily made state takes blocks decide peak and reserved bytes. Under
// libtorch-2.11 they are torch::optim's own loops.
#pragma once

#include <memory>
#include <vector>

#include <ATen/Tensor.h>

#include "core/spec.h"

namespace forerun::run {

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  virtual void step() = 0;

  // Fused optimizers divide by the gradient scale and skip on infinities inside their kernel; both
  // tensors are undefined when no scaler is in use. Others return false and are never handed a
  // scale.
  virtual bool scales_itself() const { return false; }
  virtual void set_scale(at::Tensor grad_scale, at::Tensor found_inf);
};

// All parameters of a model have one device and one dtype here, so Python's grouping by device and
// dtype yields one group.
std::unique_ptr<Optimizer> make_optimizer(const OptimizerSpec& spec, Framework::Frontend frontend,
                                          std::vector<at::Tensor> parameters);

// One each way; make_optimizer chooses.
std::unique_ptr<Optimizer> make_python_sgd(const OptimizerSpec& spec,
                                           std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> make_python_adam(const OptimizerSpec& spec,
                                            std::vector<at::Tensor> parameters);
std::unique_ptr<Optimizer> make_libtorch_optimizer(const OptimizerSpec& spec,
                                                   std::vector<at::Tensor> parameters);

// zero_grad(set_to_none=True), the default of both frontends since 2.0.
void zero_grad(const std::vector<at::Tensor>& parameters);

// clip_grad_norm_ with the 2-norm: Python's foreach sequence (torch/nn/utils/clip_grad.py, 2.11),
// or torch::nn::utils::clip_grad_norm_.
void clip_grad_norm(const std::vector<at::Tensor>& parameters, double max_norm,
                    Framework::Frontend frontend);

}  // namespace forerun::run
