// Normalisation layers on CUDA (aten/src/ATen/native/cuda/layer_norm_kernel.cu, 2.11).
#pragma once

#include "estimator/ops/runtime.h"

namespace forerun::ops {

// native_layer_norm over the last dimension; weight and bias [n] or undefined. Autocast runs it in
// fp32. Keeps the input and mean and rstd [rows] in fp32.
Tensor layer_norm(Runtime& run, const Tensor& x, const Tensor& weight, const Tensor& bias);

// native_group_norm on [n, channels, ...] (cuda/group_norm_kernel.cu); weight, bias [channels].
// Autocast runs it in fp32. Keeps the input and mean and rstd [n, groups]; coefficients [n,
// channels] for a moment in both directions.
Tensor group_norm(Runtime& run, const Tensor& x, const Tensor& weight, const Tensor& bias,
                  std::int64_t groups);

// _fused_rms_norm over the last dimension; weight [n]. Keeps the input and rstd [rows] in fp32.
// Only for inputs of the weight's dtype: others take another path.
Tensor rms_norm(Runtime& run, const Tensor& x, const Tensor& weight);

// Batch norm in training on [n, channels] or [n, channels, ...]; weight, bias [channels]. Runs in
// the input's dtype, keeps the input and mean and 1/std [channels] in fp32.
//
// [n, channels], and whatever is bfloat16: native_batch_norm (cuda/Normalization.cuh); with one
// value a channel and row, in its channels-last kernels, many rows take scratch in both directions.
// More dimensions in fp32 and fp16: cuDNN (_select_batch_norm_backend in Normalization.cpp), whose
// reserve and workspace only cuDNN knows: left out, and said (Tape::note).
// cudnn_enabled: torch.backends.cudnn.enabled, which torch.export writes into a program as false.
Tensor batch_norm(Runtime& run, const Tensor& x, const Tensor& weight, const Tensor& bias,
                  bool cudnn_enabled = true);

}  // namespace forerun::ops
