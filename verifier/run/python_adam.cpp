// Adam and AdamW as torch/optim/adam.py (2.11) runs them with its defaults: amsgrad, maximize,
// capturable and differentiable off, lr a number. AdamW is Adam with decoupled weight decay.
#include <cmath>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_addcdiv.h>
#include <ATen/ops/_foreach_addcmul.h>
#include <ATen/ops/_foreach_div.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sqrt.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "verifier/run/optimizers.h"

namespace forerun::run {
namespace {

constexpr double kBeta1 = 0.9;
constexpr double kBeta2 = 0.999;
constexpr double kEps = 1e-8;

struct State {
  at::Tensor step, exp_avg, exp_avg_sq;
};

// What one call of step() works on: parallel lists of the parameters that have a gradient.
struct Lists {
  std::vector<at::Tensor> parameters, grads, exp_avgs, exp_avg_sqs, steps;
};

class PythonAdam : public Optimizer {
 public:
  PythonAdam(const OptimizerSpec& spec, std::vector<at::Tensor> parameters)
      : lr_(spec.lr),
        weight_decay_(spec.weight_decay),
        decoupled_(spec.name == OptimizerKind::AdamW),
        parameters_(std::move(parameters)),
        states_(parameters_.size()) {}

  void step() override {
    const at::NoGradGuard no_grad;
    Lists lists = gather();
    if (!lists.parameters.empty()) update(lists);
  }

 protected:
  virtual void update(Lists& lists) = 0;
  virtual bool step_on_device() const { return false; }

  double lr_, weight_decay_;
  bool decoupled_;

 private:
  // State appears at the first step, parameter by parameter: step, exp_avg, exp_avg_sq.
  Lists gather() {
    Lists lists;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const at::Tensor& parameter = parameters_[i];
      if (!parameter.grad().defined()) continue;
      State& state = states_[i];
      if (!state.step.defined()) {
        const auto options = at::TensorOptions().dtype(at::kFloat);
        state.step = at::zeros({}, step_on_device() ? options.device(parameter.device()) : options);
        state.exp_avg = at::zeros_like(parameter);
        state.exp_avg_sq = at::zeros_like(parameter);
      }
      lists.parameters.push_back(parameter);
      lists.grads.push_back(parameter.grad());
      lists.exp_avgs.push_back(state.exp_avg);
      lists.exp_avg_sqs.push_back(state.exp_avg_sq);
      lists.steps.push_back(state.step);
    }
    return lists;
  }

  std::vector<at::Tensor> parameters_;
  std::vector<State> states_;
};

class ForeachAdam final : public PythonAdam {
 public:
  using PythonAdam::PythonAdam;

 private:
  void update(Lists& lists) override {
    at::_foreach_add_(lists.steps, at::scalar_tensor(1.0), 1.0);
    if (weight_decay_ != 0 && decoupled_)
      at::_foreach_mul_(lists.parameters, 1 - lr_ * weight_decay_);
    update_moments(lists);

    std::vector<at::Scalar> step_sizes, correction_roots;
    for (const at::Tensor& step : lists.steps) {
      const double t = step.item<double>();
      step_sizes.emplace_back(-lr_ / (1 - std::pow(kBeta1, t)));
      correction_roots.emplace_back(std::sqrt(1 - std::pow(kBeta2, t)));
    }
    // The step's one large temporary: as many bytes as the parameters.
    std::vector<at::Tensor> denominators = at::_foreach_sqrt(lists.exp_avg_sqs);
    at::_foreach_div_(denominators, correction_roots);
    at::_foreach_add_(denominators, kEps);
    at::_foreach_addcdiv_(lists.parameters, lists.exp_avgs, denominators, step_sizes);
  }

  // Adam's weight decay makes a second copy of the gradients, which is gone before the denominators
  // exist.
  void update_moments(const Lists& lists) const {
    std::vector<at::Tensor> grads = lists.grads;
    if (weight_decay_ != 0 && !decoupled_)
      grads = at::_foreach_add(grads, lists.parameters, weight_decay_);
    at::_foreach_lerp_(lists.exp_avgs, grads, 1 - kBeta1);
    at::_foreach_mul_(lists.exp_avg_sqs, kBeta2);
    at::_foreach_addcmul_(lists.exp_avg_sqs, grads, grads, 1 - kBeta2);
  }
};

class ForLoopAdam final : public PythonAdam {
 public:
  using PythonAdam::PythonAdam;

 private:
  void update(Lists& lists) override {
    // Python's loop variable outlives the iteration: while a parameter's new denominator is
    // computed, the previous parameter's is still alive.
    at::Tensor denominator;
    for (std::size_t i = 0; i < lists.parameters.size(); ++i) update_one(lists, i, denominator);
  }

  void update_one(Lists& lists, std::size_t i, at::Tensor& denominator) const {
    at::Tensor& parameter = lists.parameters[i];
    at::Tensor grad = lists.grads[i];
    lists.steps[i].add_(1);
    if (weight_decay_ != 0 && decoupled_) parameter.mul_(1 - lr_ * weight_decay_);
    if (weight_decay_ != 0 && !decoupled_) grad = grad.add(parameter, weight_decay_);
    lists.exp_avgs[i].lerp_(grad, 1 - kBeta1);
    lists.exp_avg_sqs[i].mul_(kBeta2).addcmul_(grad, grad, 1 - kBeta2);

    const double t = lists.steps[i].item<double>();
    at::Tensor quotient = lists.exp_avg_sqs[i].sqrt().div(std::sqrt(1 - std::pow(kBeta2, t)));
    denominator = quotient.add_(kEps);
    parameter.addcdiv_(lists.exp_avgs[i], denominator, -lr_ / (1 - std::pow(kBeta1, t)));
  }
};

class FusedAdam final : public PythonAdam {
 public:
  using PythonAdam::PythonAdam;

  bool scales_itself() const override { return true; }
  void set_scale(at::Tensor grad_scale, at::Tensor found_inf) override {
    grad_scale_ = std::move(grad_scale);
    found_inf_ = std::move(found_inf);
  }

 private:
  bool step_on_device() const override { return true; }

  void update(Lists& lists) override {
    at::_foreach_add_(lists.steps, 1);
    const auto fused = decoupled_ ? &fused_adamw : &fused_adam;
    fused(*this, lists);
    if (!found_inf_.defined()) return;
    at::_foreach_sub_(lists.steps, std::vector<at::Tensor>(lists.steps.size(), found_inf_));
  }

  static void fused_adam(const FusedAdam& self, Lists& lists) {
    at::_fused_adam_(lists.parameters, lists.grads, lists.exp_avgs, lists.exp_avg_sqs, {},
                     lists.steps, self.lr_, kBeta1, kBeta2, self.weight_decay_, kEps,
                     /*amsgrad=*/false, /*maximize=*/false, given(self.grad_scale_),
                     given(self.found_inf_));
  }
  static void fused_adamw(const FusedAdam& self, Lists& lists) {
    at::_fused_adamw_(lists.parameters, lists.grads, lists.exp_avgs, lists.exp_avg_sqs, {},
                      lists.steps, self.lr_, kBeta1, kBeta2, self.weight_decay_, kEps,
                      /*amsgrad=*/false, /*maximize=*/false, given(self.grad_scale_),
                      given(self.found_inf_));
  }
  static std::optional<at::Tensor> given(const at::Tensor& tensor) {
    return tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt;
  }

  at::Tensor grad_scale_, found_inf_;
};

}  // namespace

std::unique_ptr<Optimizer> make_python_adam(const OptimizerSpec& spec,
                                            std::vector<at::Tensor> parameters) {
  switch (spec.implementation) {
    case OptimizerImplementation::Foreach:
      return std::make_unique<ForeachAdam>(spec, std::move(parameters));
    case OptimizerImplementation::ForLoop:
      return std::make_unique<ForLoopAdam>(spec, std::move(parameters));
    case OptimizerImplementation::Fused:
      return std::make_unique<FusedAdam>(spec, std::move(parameters));
  }
  return nullptr;
}

}  // namespace forerun::run
