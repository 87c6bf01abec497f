// torch.gather: elements of a tensor by their place along one dimension.
#pragma once

#include "estimator/ops/operator.h"

namespace forerun::ops {

// x, index of as many dimensions; attribute dim. The result has the index's shape. Backward adds
// the gradient into zeros of x's shape (gather_backward, FunctionsManual.cpp, 2.11).
extern const Operator kGather;

}  // namespace forerun::ops
