// F.scaled_dot_product_attention: the kernel PyTorch chooses, and what each of them allocates and
// keeps (aten/src/ATen/native/transformers/attention.cpp and cuda/attention.cu,
// cuda/attention_backward.cu, cuda/flash_attn/flash_api.cpp, native/cudnn/MHA.cpp, 2.11).
#pragma once

#include "estimator/ops/operator.h"
#include "estimator/ops/sdpa_choice.h"

namespace forerun::ops {

struct SdpaWith {
  double dropout = 0;
  bool causal = false;
};

// q [batch, heads, queries, head], k [batch, heads, keys, head], v [batch, heads, keys, value
// head]: [batch, heads, queries, value head]. Fewer heads of k and v than of q: enable_gqa. The
// mask, bool or floating, is undefined or broadcasts to [batch, heads, queries, keys]; it may want
// a gradient.
Tensor sdpa(Runtime& run, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask,
            const SdpaWith& with);

extern const Operator kScaledDotProductAttention;  // q, k, v, and a mask or nothing

// The kernels, for sdpa(): operands already cast, a bool mask already in floating point.
Tensor sdpa_cudnn(Runtime& run, const SdpaCall& call);
Tensor sdpa_flash(Runtime& run, const SdpaCall& call);
Tensor sdpa_efficient(Runtime& run, const SdpaCall& call);
Tensor sdpa_math(Runtime& run, const SdpaCall& call);

// preprocess_mask, for the memory-efficient kernels: rows that begin at multiples of 8 elements,
// then seen by every batch and head.
Tensor sdpa_aligned_mask(Runtime& run, const SdpaCall& call);

}  // namespace forerun::ops
