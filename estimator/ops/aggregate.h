// Reductions over chosen dimensions, softmax, and the sum of a broadcast gradient.
#pragma once

#include "estimator/ops/operator.h"

namespace forerun::ops {

// sum or mean over the dimensions (all of them when there are none), with the kernel's scratch.
Tensor sum(Runtime& run, const Tensor& x, const Shape& dims, bool keepdim);
Tensor mean(Runtime& run, const Tensor& x, const Shape& dims, bool keepdim);

// at::sum_to: the gradient in the shape of the input it belongs to.
Tensor sum_to(Runtime& run, const Tensor& gradient, const Shape& shape);

// Attributes: shape (the dimensions), keepdim. sum is on autocast's list of fp32, mean is not.
extern const Operator kSum, kMean;
// Over one dimension, not differentiated: any, all, argmax, max, amin (of the input's dtype or
// `dtype`). Attributes: dim, keepdim, dtype; value 1: over everything.
extern const Operator kReduceWithoutGradient;
extern const Operator kCumsum;  // dim; keeps the shape, whole numbers become int64
// softmax and log_softmax over `dim` with `dtype` as their argument (autocast's fp32 without one).
extern const Operator kSoftmaxOver, kLogSoftmaxOver;

}  // namespace forerun::ops
