// The operators a graph may call, by name: one table, so that a graph is data and prints.
#pragma once

#include <string_view>

#include "estimator/ops/runtime.h"

namespace forerun::ops {

struct Attributes {
  bool inplace = false;
  double p = 0;  // dropout
};

struct Operator {
  std::string_view name;
  // inputs: activations; parameters: in the operator's own order, an undefined tensor for an absent one.
  Tensor (*run)(Runtime& run, const Tensors& inputs, const Tensors& parameters, const Attributes& attributes);
};

extern const Operator kLinear;     // x; weight, bias
extern const Operator kRelu, kGelu, kTanh, kSigmoid, kSilu;
extern const Operator kDropout;
extern const Operator kLayerNorm;  // x; weight, bias
extern const Operator kBatchNorm;  // x; weight, bias, and its buffers
extern const Operator kAdd;        // a, b
extern const Operator kView;       // x in the shape of the output; no memory of its own
extern const Operator kCrossEntropy, kMseLoss, kBceWithLogits;  // prediction, target

}  // namespace forerun::ops
