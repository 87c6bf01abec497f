// Lookups in a table (aten/src/ATen/native/cuda/Embedding.cu and EmbeddingBackwardKernel.cu, 2.11).
#pragma once

#include "estimator/ops/runtime.h"

namespace forerun::ops {

// Above this many indices the backward sorts them first.
inline constexpr std::int64_t kUnsortedIndices = 3072;
// Up to here the sizes of the sort's temporaries were checked.
inline constexpr std::int64_t kMostIndices = 100'000;

// indices int64 [...], weight [rows, columns]: [..., columns]. Keeps the indices; the gradient is
// dense.
Tensor embedding(Runtime& run, const Tensor& indices, const Tensor& weight);

// int64 [0, n)
Tensor arange(Runtime& run, std::int64_t n);

}  // namespace forerun::ops
