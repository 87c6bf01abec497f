// torch.amp.GradScaler (torch/amp/grad_scaler.py, 2.11) and clip_grad_norm_: what they allocate.
#pragma once

#include <vector>

#include "estimator/autograd/engine.h"
#include "estimator/autograd/optimizer.h"

namespace forerun::autograd {

class GradScaler {
 public:
  // loss * scale; the scale and its growth tracker are made on first use and stay.
  ops::Tensor scale(ops::Runtime& run, const ops::Tensor& loss);
  // Divides the gradients in place and leaves found_inf behind until update().
  void unscale(ops::Runtime& run);
  void step(ops::Runtime& run, Optimizer& optimizer, const std::vector<Parameter*>& parameters);
  void update() { found_inf_ = {}; }

 private:
  ops::Tensor check(ops::Runtime& run, const ops::Tensor& inverse_scale);

  ops::Tensor scale_, growth_tracker_;
  ops::Tensor found_inf_;  // from unscale() to update()
};

// torch.nn.utils.clip_grad_norm_ with the foreach implementation (ForeachReduceOp.cu, chunks of
// 65,536 elements).
void clip_grad_norm(ops::Runtime& run, const std::vector<Parameter*>& parameters);

// torch::nn::utils::clip_grad_norm_ (torch/nn/utils/clip_grad.h, 2.11): a norm a gradient, one
// after another.
void clip_grad_norm_of_libtorch(ops::Runtime& run, const std::vector<Parameter*>& parameters);

}  // namespace forerun::autograd
