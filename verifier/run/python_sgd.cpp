// SGD as torch/optim/sgd.py (2.11) runs it with its defaults: dampening 0, no nesterov, no
// maximize.
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/empty_like.h>

#include "verifier/run/optimizers.h"

namespace forerun::run {
namespace {

class PythonSgd : public Optimizer {
 public:
  PythonSgd(const OptimizerSpec& spec, std::vector<at::Tensor> parameters)
      : lr_(spec.lr),
        momentum_(spec.momentum),
        weight_decay_(spec.weight_decay),
        all_(std::move(parameters)),
        all_buffers_(all_.size()) {}

  void step() override {
    const at::NoGradGuard no_grad;
    std::vector<std::size_t> places;
    parameters_.clear();
    buffers_.clear();
    std::vector<at::Tensor> grads;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!all_[i].grad().defined()) continue;
      places.push_back(i);
      parameters_.push_back(all_[i]);
      grads.push_back(all_[i].grad());
      buffers_.push_back(all_buffers_[i]);
    }
    if (parameters_.empty()) return;
    update(std::move(grads));
    for (std::size_t k = 0; k < places.size(); ++k) all_buffers_[places[k]] = buffers_[k];
  }

 protected:
  virtual void update(std::vector<at::Tensor> grads) = 0;

  bool has_all_buffers() const {
    for (const at::Tensor& buffer : buffers_) {
      if (!buffer.defined()) return false;
    }
    return true;
  }

  // First use: the momentum buffer is a copy of the gradient; afterwards buffer = momentum * buffer
  // + gradient.
  void advance_buffer(std::size_t i, const at::Tensor& grad) {
    if (!buffers_[i].defined()) {
      buffers_[i] = grad.detach().clone();
    } else {
      buffers_[i].mul_(momentum_).add_(grad, 1);
    }
  }

  double lr_, momentum_, weight_decay_;
  std::vector<at::Tensor> parameters_, buffers_;  // of this step, in parallel

 private:
  std::vector<at::Tensor> all_, all_buffers_;
};

class ForeachSgd final : public PythonSgd {
 public:
  using PythonSgd::PythonSgd;

 private:
  void update(std::vector<at::Tensor> grads) override {
    if (weight_decay_ != 0) grads = at::_foreach_add(grads, parameters_, weight_decay_);
    if (momentum_ != 0) {
      advance_buffers(grads);
      grads = buffers_;  // drops the copies that weight decay made before the parameters change
    }
    at::_foreach_add_(parameters_, grads, -lr_);
  }

  void advance_buffers(const std::vector<at::Tensor>& grads) {
    if (!has_all_buffers()) {
      for (std::size_t i = 0; i < grads.size(); ++i) advance_buffer(i, grads[i]);
      return;
    }
    at::_foreach_mul_(buffers_, momentum_);
    at::_foreach_add_(buffers_, grads, 1);
  }
};

class ForLoopSgd final : public PythonSgd {
 public:
  using PythonSgd::PythonSgd;

 private:
  void update(std::vector<at::Tensor> grads) override {
    for (std::size_t i = 0; i < grads.size(); ++i) {
      at::Tensor grad = grads[i];
      if (weight_decay_ != 0) grad = grad.add(parameters_[i], weight_decay_);
      if (momentum_ != 0) {
        advance_buffer(i, grad);
        grad = buffers_[i];
      }
      parameters_[i].add_(grad, -lr_);
    }
  }
};

class FusedSgd final : public PythonSgd {
 public:
  using PythonSgd::PythonSgd;

  bool scales_itself() const override { return true; }
  void set_scale(at::Tensor grad_scale, at::Tensor found_inf) override {
    grad_scale_ = std::move(grad_scale);
    found_inf_ = std::move(found_inf);
  }

 private:
  void update(std::vector<at::Tensor> grads) override {
    const bool has_momentum = momentum_ != 0;
    const bool first = has_momentum && !buffers_.front().defined();
    if (first) {
      for (std::size_t i = 0; i < grads.size(); ++i) buffers_[i] = at::empty_like(grads[i]);
    }
    at::_fused_sgd_(parameters_, grads, has_momentum ? at::TensorList(buffers_) : at::TensorList(),
                    weight_decay_, momentum_, lr_, /*dampening=*/0, /*nesterov=*/false,
                    /*maximize=*/false, first, given(grad_scale_), given(found_inf_));
  }
  static std::optional<at::Tensor> given(const at::Tensor& tensor) {
    return tensor.defined() ? std::optional<at::Tensor>(tensor) : std::nullopt;
  }

  at::Tensor grad_scale_, found_inf_;
};

}  // namespace

std::unique_ptr<Optimizer> make_python_sgd(const OptimizerSpec& spec,
                                           std::vector<at::Tensor> parameters) {
  switch (spec.implementation) {
    case OptimizerImplementation::Foreach:
      return std::make_unique<ForeachSgd>(spec, std::move(parameters));
    case OptimizerImplementation::ForLoop:
      return std::make_unique<ForLoopSgd>(spec, std::move(parameters));
    case OptimizerImplementation::Fused:
      return std::make_unique<FusedSgd>(spec, std::move(parameters));
  }
  return nullptr;
}

}  // namespace forerun::run
