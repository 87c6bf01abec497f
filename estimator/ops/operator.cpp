#include "estimator/ops/operator.h"

#include "estimator/ops/activation.h"
#include "estimator/ops/attention.h"
#include "estimator/ops/blas.h"
#include "estimator/ops/convolution.h"
#include "estimator/ops/define_operator.h"
#include "estimator/ops/embedding.h"
#include "estimator/ops/loss.h"
#include "estimator/ops/normalization.h"
#include "estimator/ops/pooling.h"

namespace forerun::ops {
namespace {

template <Activation kind>
Tensors activation(Runtime& run, const Tensors& in, const Tensors&, const Attributes& with) {
  return {activate(run, kind, in[0], with.inplace, with.on_view)};
}

}  // namespace

FORERUN_OPERATOR(kLinear, "linear", {linear(run, in[0], own[0], own[1])});
FORERUN_OPERATOR(kLinearOfLibTorch, "torch::nn::linear",
                 {linear_of_libtorch(run, in[0], own[0], own[1])});
const Operator kRelu{"relu", activation<Activation::Relu>};
const Operator kGelu{"gelu", activation<Activation::Gelu>};
const Operator kTanh{"tanh", activation<Activation::Tanh>};
const Operator kSigmoid{"sigmoid", activation<Activation::Sigmoid>};
const Operator kSilu{"silu", activation<Activation::Silu>};
const Operator kLeakyRelu{"leaky_relu", activation<Activation::LeakyRelu>};
const Operator kElu{"elu", activation<Activation::Elu>};
const Operator kSelu{"selu", activation<Activation::Selu>};
const Operator kRelu6{"relu6", activation<Activation::Relu6>};
const Operator kHardswish{"hardswish", activation<Activation::Hardswish>};
const Operator kMish{"mish", activation<Activation::Mish>};
const Operator kSoftplus{"softplus", activation<Activation::Softplus>};
FORERUN_OPERATOR(kSoftmax, "softmax", {softmax(run, in[0], false)});
FORERUN_OPERATOR(kLogSoftmax, "log_softmax", {softmax(run, in[0], true)});
FORERUN_OPERATOR(kGroupNorm, "group_norm", {group_norm(run, in[0], own[0], own[1], with.groups)});
FORERUN_OPERATOR(kDropout, "dropout", {dropout(run, in[0], with.p)});
FORERUN_OPERATOR(kLayerNorm, "layer_norm", {layer_norm(run, in[0], own[0], own[1])});
FORERUN_OPERATOR(kBatchNorm, "batch_norm", {batch_norm(run, in[0], own[0], own[1])});
FORERUN_OPERATOR(kRmsNorm, "rms_norm", {rms_norm(run, in[0], own[0])});
FORERUN_OPERATOR(kConvolution, "convolution",
                 {convolution(run, in[0], own[0], own[1],
                              {with.shape, with.groups, with.transposed})});
FORERUN_OPERATOR(kMaxPool, "max_pool2d", {max_pool(run, in[0], with.shape)});
FORERUN_OPERATOR(kAvgPool, "avg_pool2d", {avg_pool(run, in[0], with.shape)});
FORERUN_OPERATOR(kAdaptiveAvgPool, "adaptive_avg_pool2d",
                 {adaptive_avg_pool(run, in[0], with.shape)});
FORERUN_OPERATOR(kEmbedding, "embedding", {embedding(run, in[0], own[0])});
FORERUN_OPERATOR(kPositions, "arange", {arange(run, in[0].shape[1])});
FORERUN_OPERATOR(kAttention, "scaled_dot_product_attention", {attention(run, in[0], with.heads)});
FORERUN_OPERATOR(kExplicitAttention, "explicit_attention",
                 explicit_attention(run, in[0], with.heads, with.causal));
FORERUN_OPERATOR(kAdd, "add", {add(run, in[0], in[1])});
FORERUN_OPERATOR(kView, "view", {in[0].view(with.shape)});
FORERUN_OPERATOR(kCrossEntropy, "cross_entropy", {cross_entropy(run, in[0], in[1])});
FORERUN_OPERATOR(kMseLoss, "mse", {mse_loss(run, in[0], in[1])});
FORERUN_OPERATOR(kBceWithLogits, "bce_with_logits", {bce_with_logits(run, in[0], in[1])});
FORERUN_OPERATOR(kL1Loss, "l1", {l1_loss(run, in[0], in[1])});
FORERUN_OPERATOR(kSmoothL1Loss, "smooth_l1", {smooth_l1_loss(run, in[0], in[1])});
FORERUN_OPERATOR(kHuberLoss, "huber", {huber_loss(run, in[0], in[1])});
FORERUN_OPERATOR(kNllLoss, "nll", {negative_log_likelihood(run, in[0], in[1])});

}  // namespace forerun::ops
