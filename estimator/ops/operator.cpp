#include "estimator/ops/operator.h"

#include "estimator/ops/activation.h"
#include "estimator/ops/blas.h"
#include "estimator/ops/loss.h"
#include "estimator/ops/normalization.h"

namespace forerun::ops {
namespace {

template <Activation kind>
Tensor activation(Runtime& run, const Tensors& in, const Tensors&, const Attributes& with) {
  return activate(run, kind, in[0], with.inplace);
}

}  // namespace

const Operator kLinear{"linear", [](Runtime& run, const Tensors& in, const Tensors& own, const Attributes&) {
                         return linear(run, in[0], own[0], own[1]);
                       }};
const Operator kRelu{"relu", activation<Activation::Relu>};
const Operator kGelu{"gelu", activation<Activation::Gelu>};
const Operator kTanh{"tanh", activation<Activation::Tanh>};
const Operator kSigmoid{"sigmoid", activation<Activation::Sigmoid>};
const Operator kSilu{"silu", activation<Activation::Silu>};
const Operator kDropout{"dropout", [](Runtime& run, const Tensors& in, const Tensors&, const Attributes& with) {
                          return dropout(run, in[0], with.p);
                        }};
const Operator kLayerNorm{"layer_norm", [](Runtime& run, const Tensors& in, const Tensors& own, const Attributes&) {
                            return layer_norm(run, in[0], own[0], own[1]);
                          }};
const Operator kBatchNorm{"batch_norm", [](Runtime& run, const Tensors& in, const Tensors& own, const Attributes&) {
                            return batch_norm(run, in[0], own[0], own[1]);
                          }};
const Operator kAdd{"add", [](Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
                      return add(run, in[0], in[1]);
                    }};
const Operator kView{"view", [](Runtime&, const Tensors& in, const Tensors&, const Attributes&) { return in[0]; }};
const Operator kCrossEntropy{"cross_entropy", [](Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
                               return cross_entropy(run, in[0], in[1]);
                             }};
const Operator kMseLoss{"mse", [](Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
                          return mse_loss(run, in[0], in[1]);
                        }};
const Operator kBceWithLogits{"bce_with_logits", [](Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
                                return bce_with_logits(run, in[0], in[1]);
                              }};

}  // namespace forerun::ops
