// Normalisation layers on CUDA (aten/src/ATen/native/cuda/layer_norm_kernel.cu, 2.11).
#pragma once

#include "estimator/ops/runtime.h"

namespace forerun::ops {

// native_layer_norm over the last dimension; weight and bias [n] or undefined. Autocast runs it in
// fp32. Keeps the input and mean and rstd [rows] in fp32.
Tensor layer_norm(Runtime& run, const Tensor& x, const Tensor& weight, const Tensor& bias);

// _fused_rms_norm over the last dimension; weight [n]. Keeps the input and rstd [rows] in fp32.
// Only for inputs of the weight's dtype: others take another path.
Tensor rms_norm(Runtime& run, const Tensor& x, const Tensor& weight);

// native_batch_norm in training on [n, channels] (cuda/Normalization.cuh, the channels-last
// kernels); weight, bias [channels]. Runs in the input's dtype, keeps the input and mean and 1/std
// [channels] in fp32. Many rows take scratch in both directions.
Tensor batch_norm(Runtime& run, const Tensor& x, const Tensor& weight, const Tensor& bias);

}  // namespace forerun::ops
