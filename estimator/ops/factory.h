// Tensors made from nothing, and layers' functions whose parameters are ordinary operands.
#pragma once

#include "estimator/ops/operator.h"

namespace forerun::ops {

extern const Operator kMake;         // shape, dtype: empty, zeros, ones, arange, full
extern const Operator kEmbeddingOf;  // indices, weight
extern const Operator kLayerNormOf;  // x, weight, bias

}  // namespace forerun::ops
