// Where the elements of a tensor lie: strides in elements, as ATen computes them. A tensor whose
// `strides` are empty is contiguous, and every function here gives empty strides for that layout.
#pragma once

#include <optional>
#include <vector>

#include "estimator/ops/tensor.h"

namespace forerun::ops {

Shape contiguous_strides(const Shape& shape);
Shape strides_of(const Tensor& tensor);
// The strides, or nothing when they are the contiguous ones; dimensions of one element do not
// count.
Shape normalised(const Shape& shape, Shape strides);

inline bool is_contiguous(const Tensor& tensor) { return tensor.strides.empty(); }
// Every element has a place of its own and none is left between them.
bool is_dense(const Tensor& tensor);

// torch.preserve_format: the same order of dimensions without gaps (empty_like, to, clone).
Shape preserved_strides(const Tensor& tensor);

// at::detail::computeStride: the strides of a view in the shape, or nothing when it needs a copy.
std::optional<Shape> view_strides(const Tensor& tensor, const Shape& shape);

// -1 in a shape stands for what is left; nothing when it does not divide.
std::optional<Shape> fill_in(Shape shape, std::int64_t elements);

// Dimensions are aligned at the last one; nothing when two sizes differ and neither is 1.
std::optional<Shape> broadcast(const Shape& a, const Shape& b);

// TensorIterator: the strides of a fresh result of pointwise work on the operands, which is ordered
// as they are (aten/src/ATen/TensorIterator.cpp, reorder_dimensions).
Shape iterator_strides(const Shape& result, const std::vector<const Tensor*>& operands);

}  // namespace forerun::ops
