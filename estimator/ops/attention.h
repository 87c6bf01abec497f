// Attention between the packed projection of q, k, v and the output projection.
//
// F.scaled_dot_product_attention picks a kernel by dtype and compute capability
// (sdp_utils.cpp, 2.11): fp32 the memory-efficient one; 16-bit types flash attention on 8.x, cuDNN
// on 9.0, the memory-efficient one before 8.0.
#pragma once

#include "estimator/ops/runtime.h"

namespace forerun::ops {

enum class AttentionKernel { Efficient, Flash, Cudnn };
AttentionKernel attention_kernel(const devices::Device& device, DType dtype);

// flash_api.cpp's num_splits_heuristic: how many ways the keys are divided so that the queries fill
// the device. rows: batch x heads.
struct FlashWork {
  std::int64_t rows, queries, keys, head_dim;
};
std::int64_t flash_splits(const FlashWork& of, const devices::Device& device);

// What the memory-efficient backward works in: a tile of 64 x 64 partial query gradients and its
// lock for each block of 64 queries (attention_backward.cu).
std::int64_t efficient_workspace_bytes(std::int64_t rows, std::int64_t queries);

// The largest head for which every kernel's temporaries were checked; a head is a multiple of 8.
inline constexpr std::int64_t kMostHeadDim = 64;

// qkv [batch, length, 3 d], without dropout: [batch, length, d]. Keeps qkv, the result, and the
// log-sum-exp of each row.
Tensor attention(Runtime& run, const Tensor& qkv, std::int64_t heads);

// softmax(q k^T * scale, masked) v written out: the scores are there several times over. Gives the
// result, then what the Python function still names when it returns: the product before it was
// transposed back, and the masked scores.
Tensors explicit_attention(Runtime& run, const Tensor& qkv, std::int64_t heads, bool causal);

}  // namespace forerun::ops
