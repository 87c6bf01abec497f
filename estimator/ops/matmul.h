// Matrix products of strided tensors as ATen's frontends arrange them: matmul's folding, bmm's and
// addmm's copies (aten/src/ATen/native/LinearAlgebra.cpp and cuda/Blas.cpp, 2.11).
#pragma once

#include "estimator/ops/operator.h"

namespace forerun::ops {

// F.linear of any tensors: addmm where there is a bias and x is a matrix or contiguous, else
// matmul with the bias added in place.
Tensor linear_strided(Runtime& run, const Tensor& x, const Tensor& weight, const Tensor& bias);
Tensor matmul(Runtime& run, const Tensor& a, const Tensor& b);
// [batch, m, k] x [batch, k, n]
Tensor bmm(Runtime& run, const Tensor& a, const Tensor& b);
// bias + a b, matrices; bias undefined: mm.
Tensor addmm(Runtime& run, const Tensor& bias, const Tensor& a, const Tensor& b);

extern const Operator kLinearStrided;  // x, weight, bias or nothing
extern const Operator kMatmul;         // a, b
extern const Operator kBmm;            // a, b
extern const Operator kAddmm;          // bias, a, b

}  // namespace forerun::ops
