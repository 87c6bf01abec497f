// Attention between the packed projection of q, k, v and the output projection.
#pragma once

#include "estimator/ops/runtime.h"

namespace forerun::ops {

// qkv [batch, length, 3 d]: F.scaled_dot_product_attention (sdpa.h) of its three parts, causal and
// without dropout; gives [batch, length, d].
Tensor attention(Runtime& run, const Tensor& qkv, std::int64_t heads);

// softmax(q k^T * scale, masked) v written out: the scores are there several times over. Gives the
// result, then what the Python function still names when it returns: the product before it was
// transposed back, and the masked scores.
Tensors explicit_attention(Runtime& run, const Tensor& qkv, std::int64_t heads, bool causal);

}  // namespace forerun::ops
