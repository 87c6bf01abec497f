// Which kernel F.scaled_dot_product_attention runs (aten/src/ATen/native/transformers/cuda/
// sdp_utils.cpp, 2.11: the order of priority, then each kernel's conditions).
#pragma once

#include "estimator/devices/device.h"
#include "estimator/ops/tensor.h"

namespace forerun::ops {

enum class SdpaBackend { Cudnn, Flash, Efficient, Math };

// q [batch, heads, queries, head], k and v [batch, heads of their own, keys, head]; the mask may be
// undefined. As the kernel gets them: cast by autocast already.
struct SdpaCall {
  const Tensor &q, &k, &v, &mask;
  double dropout = 0;
  bool causal = false;
  bool trains = false;  // autograd is on and an operand wants a gradient
};

SdpaBackend sdpa_backend(const devices::Device& device, const SdpaCall& call);

}  // namespace forerun::ops
