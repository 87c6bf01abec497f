// Operators of image models on names: convolutions and norms whose parameters are operands, and
// what works in place (tools/autograd/derivatives.yaml and aten/src/ATen/native, 2.11).
#pragma once

#include "estimator/ops/operator.h"

namespace forerun::ops {

// x, weight, bias or nothing. Attributes: shape (the output's), groups.
extern const Operator kConvolutionOf;
// x, weight, bias: in training. Attributes: cudnn.
extern const Operator kBatchNormOf;
extern const Operator kGroupNormOf;  // x, weight, bias. Attributes: groups.
// a, b: a += b. The result has a's storage; both get its gradient.
extern const Operator kAddInPlace;
// relu_ keeps its result. hardtanh_ (relu6), silu_ and hardswish_ keep a clone of what they write
// over.
extern const Operator kReluInPlace, kHardtanhInPlace, kSiluInPlace, kHardswishInPlace;
// dropout_ in training makes the noise it multiplies by, in x's dtype, and keeps it. Attributes: p,
// on_view (of another tensor: backward goes through CopySlices).
extern const Operator kDropoutInPlace;

}  // namespace forerun::ops
