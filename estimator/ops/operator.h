// The operators a graph may call, by name: one table, so that a graph is data and prints.
#pragma once

#include <optional>
#include <string_view>

#include "estimator/ops/runtime.h"

namespace forerun::ops {

struct Attributes {
  bool inplace = false;
  bool on_view = false;  // in place on a view of another tensor
  double p = 0;          // dropout
  std::int64_t heads = 0;
  bool causal = true;
  Shape shape;              // the target of a view; the result of a convolution or a pool
  std::int64_t groups = 1;  // of a convolution, of a group norm
  bool transposed = false;
  // Of the operators on strided tensors (view.h, pointwise.h, aggregate.h, ...).
  std::int64_t dim = 0;
  std::int64_t other_dim = 0;
  bool keepdim = false;
  double value = 0;  // a Python number among the operands
  std::optional<DType> dtype = {};
  bool cudnn = true;         // batch norm: cudnn_enabled
  bool no_autocast = false;  // inside `with torch.autocast(enabled=False)`
};

struct Operator {
  std::string_view name;
  // inputs: activations; parameters: in the operator's own order, an undefined tensor for an absent
  // one. Gives the result, then what the Python function's other names hold until it returns.
  Tensors (*run)(Runtime& run, const Tensors& inputs, const Tensors& parameters,
                 const Attributes& attributes);
};

extern const Operator kLinear, kLinearOfLibTorch;  // x; weight, bias
extern const Operator kRelu, kGelu, kTanh, kSigmoid, kSilu, kLeakyRelu, kElu, kSelu, kRelu6,
    kHardswish, kMish, kSoftplus, kSoftmax, kLogSoftmax;
extern const Operator kDropout;
extern const Operator kLayerNorm;    // x; weight, bias
extern const Operator kGroupNorm;    // x; weight, bias
extern const Operator kBatchNorm;    // x; weight, bias, and its buffers
extern const Operator kRmsNorm;      // x; weight
extern const Operator kConvolution;  // x; weight, bias
extern const Operator kMaxPool, kAvgPool, kAdaptiveAvgPool;
extern const Operator kEmbedding;  // indices; weight
extern const Operator kPositions;  // arange(x.shape[1]), int64
extern const Operator kAttention,
    kExplicitAttention;      // the packed q, k, v of F.linear(x, [3d, d]); gives [batch, length, d]
extern const Operator kAdd;  // a, b
extern const Operator kView;  // x in the shape of the output; no memory of its own
extern const Operator kCrossEntropy, kMseLoss, kBceWithLogits, kL1Loss, kSmoothL1Loss, kHuberLoss,
    kNllLoss;  // prediction, target

}  // namespace forerun::ops
