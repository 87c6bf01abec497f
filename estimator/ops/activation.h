// Pointwise operators: what each allocates and what it keeps for backward
// (tools/autograd/derivatives.yaml, 2.11).
#pragma once

#include "estimator/ops/runtime.h"

namespace forerun::ops {

enum class Activation {
  Relu,
  Gelu,
  Tanh,
  Sigmoid,
  Silu,
  LeakyRelu,
  Elu,
  Selu,
  Relu6,
  Hardswish,
  Mish,
  Softplus,
};

// relu, tanh and sigmoid keep their result, the others their input; softplus is on autocast's fp32
// list. inplace is relu's alone: the
// result is the input's storage; where that is a view of another tensor, backward goes through
// CopySlices and its copies.
Tensor activate(Runtime& run, Activation kind, const Tensor& x, bool inplace, bool on_view);

// softmax or log_softmax over the last dimension, in fp32 under autocast: float16 is read as it is,
// bfloat16 copied first. Keeps the result; softmax's backward makes gradient * result for a moment.
Tensor softmax(Runtime& run, const Tensor& x, bool logarithm);

// native_dropout in training: a bool mask, then the result; 0 < p < 1. p = 0 gives x itself.
Tensor dropout(Runtime& run, const Tensor& x, double p);

// x / divisor, 0-dim: the loss of one of several micro-batches.
Tensor divide(Runtime& run, const Tensor& x);
// x * scale, 0-dim both: GradScaler.scale.
Tensor multiply(Runtime& run, const Tensor& x, const Tensor& scale);
// a + b; b may lack a's leading dimension, and their dtypes may differ (the result has the wider
// one). Autograd keeps nothing and hands the same gradient to both, summed and cast to what each of
// them is (validate_outputs).
Tensor add(Runtime& run, const Tensor& a, const Tensor& b);

}  // namespace forerun::ops
