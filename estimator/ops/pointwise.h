// Pointwise operators on strided tensors, broadcast against each other and promoted: what each
// allocates, what it keeps for backward, and how many tensors its backward makes on the way
// (tools/autograd/derivatives.yaml and torch/csrc/autograd/FunctionsManual.cpp, 2.11).
#pragma once

#include <vector>

#include "estimator/ops/operator.h"

namespace forerun::ops {

// torch.result_type of two tensors; a 0-dim one only counts where it is of a higher kind.
DType promoted(const Tensor& a, const Tensor& b);

// The fresh result of a pointwise kernel over the operands.
Tensor elementwise(Runtime& run, std::string_view kernel,
                   const std::vector<const Tensor*>& operands, DType dtype, std::string_view role);

// One input. kPow takes `value`; relu, sigmoid and the like are those of operator.h.
extern const Operator kNeg, kExp, kLog, kCos, kSin, kSqrt, kRsqrt, kAbs, kPow, kLogicalNot, kIsInf;
// Two inputs, or one and `value`.
extern const Operator kAddTensors, kSub, kMul, kDiv, kMaximum, kMinimum;
// `value` - x and `value` / x
extern const Operator kNumberMinus, kNumberOver;
// Two inputs, or one and `value`; a bool result.
extern const Operator kCompare, kLogicalAnd, kLogicalOr;
extern const Operator kMaskedFill;  // x, mask
extern const Operator kWhere;       // condition, a, b; either may be absent: a Python number
// In place: the first input's storage is written; no gradient flows to the others.
extern const Operator
    kFillInPlace;  // x: zero_, fill_, normal_, uniform_, masked_fill_ with a number
extern const Operator kCopyInPlace;  // x, source

}  // namespace forerun::ops
