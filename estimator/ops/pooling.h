// Pooling over [batch, channels, height, width] on CUDA, contiguous (NCHW)
// (aten/src/ATen/native/cuda/{DilatedMaxPool2d,AveragePool2d,AdaptiveAveragePooling}.cu and
// AdaptiveAveragePooling.cpp, 2.11). All run in their input's dtype, also under autocast.
#pragma once

#include "estimator/ops/runtime.h"

namespace forerun::ops {

// max_pool2d_with_indices: the result and int64 indices of its shape. Keeps the input and the
// indices.
Tensor max_pool(Runtime& run, const Tensor& x, const Shape& output);
// avg_pool2d, keeps the input.
Tensor avg_pool(Runtime& run, const Tensor& x, const Shape& output);
// To 1 x 1 it is a mean, which keeps nothing; otherwise _adaptive_avg_pool2d, which keeps the
// input.
Tensor adaptive_avg_pool(Runtime& run, const Tensor& x, const Shape& output);

}  // namespace forerun::ops
