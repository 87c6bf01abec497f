// Causal attention over q, k, v [batch, heads, length, head] of one length and number of heads.
#pragma once

#include <optional>
#include <string>

#include "estimator/ops/operator.h"

namespace forerun::ops {

extern const Operator kFusedAttention;  // q, k, v; gives [batch, heads, length, head]

// Why these operands would take another kernel than the two modelled, or one whose temporaries were
// never compared with PyTorch's; nothing when they are modelled. `dtype` is what the kernel
// computes in: autocast's inside it.
std::optional<std::string> fused_attention_gap(const devices::Device& device, DType dtype,
                                               const Shape& q, const Shape& k, const Shape& v);

}  // namespace forerun::ops
