// Causal attention over q, k, v [batch, heads, length, head] of one length and number of heads.
#pragma once

#include "estimator/ops/operator.h"

namespace forerun::ops {

extern const Operator kFusedAttention;  // q, k, v; gives [batch, heads, length, head]

}  // namespace forerun::ops
