// The C++ frontend's optimizers, and what chooses between the frontends.
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include "verifier/run/optimizers.h"

namespace forerun::run {
namespace {

class LibTorchOptimizer final : public Optimizer {
 public:
  explicit LibTorchOptimizer(std::unique_ptr<torch::optim::Optimizer> optimizer)
      : optimizer_(std::move(optimizer)) {}
  void step() override { optimizer_->step(); }

 private:
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

std::unique_ptr<torch::optim::Optimizer> make_torch(const OptimizerSpec& spec,
                                                    std::vector<at::Tensor> parameters) {
  switch (spec.name) {
    case OptimizerKind::Sgd:
      return std::make_unique<torch::optim::SGD>(std::move(parameters),
                                                 torch::optim::SGDOptions(spec.lr)
                                                     .momentum(spec.momentum)
                                                     .nesterov(spec.nesterov)
                                                     .weight_decay(spec.weight_decay));
    case OptimizerKind::Adam:
      return std::make_unique<torch::optim::Adam>(
          std::move(parameters),
          torch::optim::AdamOptions(spec.lr).weight_decay(spec.weight_decay).amsgrad(spec.amsgrad));
    case OptimizerKind::AdamW:
      return std::make_unique<torch::optim::AdamW>(std::move(parameters),
                                                   torch::optim::AdamWOptions(spec.lr)
                                                       .weight_decay(spec.weight_decay)
                                                       .amsgrad(spec.amsgrad));
    case OptimizerKind::Adagrad:
      return std::make_unique<torch::optim::Adagrad>(
          std::move(parameters),
          torch::optim::AdagradOptions(spec.lr).weight_decay(spec.weight_decay));
    case OptimizerKind::RmsProp:
      return std::make_unique<torch::optim::RMSprop>(std::move(parameters),
                                                     torch::optim::RMSpropOptions(spec.lr)
                                                         .weight_decay(spec.weight_decay)
                                                         .momentum(spec.momentum)
                                                         .centered(spec.centered));
    case OptimizerKind::Adamax:
    case OptimizerKind::NAdam: break;  // LibTorch has none; refused before
  }
  return nullptr;
}

// torch/nn/utils/clip_grad.py (2.11), foreach: one norm a gradient, the norm of their stack, one
// in-place product. The 0-dim temporaries live as long as Python's names do; each takes a 512-byte
// block.
void clip_as_python(const std::vector<at::Tensor>& parameters, double max_norm) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> grads;
  for (const at::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) grads.push_back(parameter.grad());
  }
  if (grads.empty()) return;
  const auto total_norm_of = [](const std::vector<at::Tensor>& tensors) {
    const std::vector<at::Tensor> norms = at::_foreach_norm(tensors, 2.0);
    return at::linalg_vector_norm(at::stack(norms), 2.0);
  };
  const at::Tensor total_norm = total_norm_of(grads);
  const at::Tensor coefficient = (total_norm + 1e-6).reciprocal() * max_norm;
  const at::Tensor clamped = at::clamp(coefficient, std::nullopt, 1.0);
  at::_foreach_mul_(grads, clamped);
}

}  // namespace

void Optimizer::set_scale(at::Tensor, at::Tensor) {}

std::unique_ptr<Optimizer> make_libtorch_optimizer(const OptimizerSpec& spec,
                                                   std::vector<at::Tensor> parameters) {
  return std::make_unique<LibTorchOptimizer>(make_torch(spec, std::move(parameters)));
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerSpec& spec, Framework::Frontend frontend,
                                          std::vector<at::Tensor> parameters) {
  if (frontend == Framework::Frontend::LibTorch)
    return make_libtorch_optimizer(spec, std::move(parameters));
  if (spec.name == OptimizerKind::Sgd) return make_python_sgd(spec, std::move(parameters));
  return make_python_adam(spec, std::move(parameters));
}

void zero_grad(const std::vector<at::Tensor>& parameters) {
  for (const at::Tensor& parameter : parameters) parameter.mutable_grad().reset();
}

void clip_grad_norm(const std::vector<at::Tensor>& parameters, double max_norm,
                    Framework::Frontend frontend) {
  if (frontend == Framework::Frontend::LibTorch) {
    torch::nn::utils::clip_grad_norm_(parameters, max_norm);
    return;
  }
  clip_as_python(parameters, max_norm);
}

}  // namespace forerun::run
