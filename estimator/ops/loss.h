// Losses, mean reduction (aten/src/ATen/native/{LossNLL,Loss}.cpp,
// cuda/{NLLLoss2d,Loss,SoftMax}.cu, 2.11).
#pragma once

#include "estimator/ops/runtime.h"

namespace forerun::ops {

// logits [n, classes], target int64 [n]: log_softmax, then nll_loss.
Tensor cross_entropy(Runtime& run, const Tensor& logits, const Tensor& target);
// log_probabilities [n, classes], target int64 [n].
Tensor negative_log_likelihood(Runtime& run, const Tensor& log_probabilities, const Tensor& target);
// The result keeps the storage of the elementwise differences, as large as the prediction.
Tensor mse_loss(Runtime& run, const Tensor& prediction, const Tensor& target);
Tensor smooth_l1_loss(Runtime& run, const Tensor& prediction, const Tensor& target);
// huber_loss makes its differences as a tensor of their own.
Tensor huber_loss(Runtime& run, const Tensor& prediction, const Tensor& target);
// (input - target).abs().mean(), of three operators: the differences are kept for abs.
Tensor l1_loss(Runtime& run, const Tensor& prediction, const Tensor& target);
Tensor bce_with_logits(Runtime& run, const Tensor& logits, const Tensor& target);

}  // namespace forerun::ops
