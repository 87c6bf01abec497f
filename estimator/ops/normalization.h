// Normalisation layers on CUDA (aten/src/ATen/native/cuda/layer_norm_kernel.cu, 2.11).
#pragma once

#include "estimator/ops/runtime.h"

namespace forerun::ops {

// native_layer_norm over the last dimension; weight and bias [n] or undefined. Autocast runs it in fp32. Keeps the
// input and mean and rstd [rows] in fp32.
Tensor layer_norm(Runtime& run, const Tensor& x, const Tensor& weight, const Tensor& bias);

}  // namespace forerun::ops
