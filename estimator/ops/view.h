// Views: another shape over the same storage, with the backward PyTorch gives each
// (tools/autograd/derivatives.yaml, 2.11); and the copies made where a view will not do.
#pragma once

#include "estimator/ops/operator.h"

namespace forerun::ops {

Tensor contiguous(Runtime& run, const Tensor& x);         // x itself when it is contiguous
Tensor reshape(Runtime& run, const Tensor& x, Shape to);  // -1: what is left; copies if it must
Tensor transpose(Runtime& run, const Tensor& x, std::int64_t a, std::int64_t b);
Tensor permute(Runtime& run, const Tensor& x, const Shape& order);
Tensor expand(Runtime& run, const Tensor& x, Shape to);  // -1: as it is
Tensor unsqueeze(Runtime& run, const Tensor& x, std::int64_t dim);
Tensor squeeze(Runtime& run, const Tensor& x, std::int64_t dim);
// The elements from `begin` to before `end` of a dimension; both may count from the end.
Tensor slice(Runtime& run, const Tensor& x, std::int64_t dim, std::int64_t begin, std::int64_t end,
             std::int64_t step = 1);
Tensor select(Runtime& run, const Tensor& x, std::int64_t dim);
Tensors split(Runtime& run, const Tensor& x, const Shape& sizes, std::int64_t dim);
Tensors unbind(Runtime& run, const Tensor& x, std::int64_t dim);
Tensor to_dtype(Runtime& run, const Tensor& x, DType dtype);
// cat of tensors that agree but for `dim`; promoted to the widest dtype.
Tensor cat(Runtime& run, const Tensors& parts, std::int64_t dim);

std::size_t wrapped(std::int64_t dim, std::size_t dimensions);

// One input each, but for kCat and kStack. Attributes: shape (kReshape, kExpand; the order of
// kPermute; the sizes of kSplit; {begin, end, step} of kSlice), dim, other_dim, dtype.
extern const Operator kReshape, kContiguous, kClone, kTranspose, kPermute, kExpand, kUnsqueeze,
    kSqueeze, kSlice, kSelect, kSplit, kUnbind, kTo, kDetach, kCat, kStack;

}  // namespace forerun::ops
