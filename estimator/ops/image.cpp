#include "estimator/ops/image.h"

#include <string_view>
#include <utility>

#include "estimator/ops/activation.h"
#include "estimator/ops/convolution.h"
#include "estimator/ops/normalization.h"
#include "estimator/ops/pointwise.h"
#include "estimator/ops/strides.h"

namespace forerun::ops {
namespace {

// x under another name, after an operator has written over it.
Tensor overwritten(Runtime& run, const Tensor& x) {
  Tensor y = x.detach();
  if (y.storage) y.storage->overwrite(run.where);
  return y;
}

// The derivative reads the input: a clone of it is kept before it is written over.
struct InPlace {
  std::string_view forward;
  std::string_view backward;
};
constexpr InPlace kHardtanhRule{"hardtanh_", "hardtanh_backward"};
constexpr InPlace kSiluRule{"silu_", "silu_backward"};
constexpr InPlace kHardswishRule{"hardswish_", "hardswish_backward"};

template <const InPlace& rule>
Tensors in_place(Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
  const Tensor& x = in[0];
  const bool wanted = run.grad_enabled && x.requires_grad();
  Tensor clone;
  if (wanted) clone = elementwise(run, "clone", {&x}, x.dtype, "copy of what is overwritten");
  Tensor y = overwritten(run, x);
  run.launch(rule.forward, {&x, &y});
  Node* node = run.record_strided(
      rule.forward, {&y}, {&x}, [](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        return {elementwise(r, rule.backward, {&grad[0], &self.saved[0]}, grad[0].dtype,
                            "input gradient")};
      });
  if (node != nullptr) run.keep(*node, clone);
  return {y};
}

Tensors add_in_place(Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
  Tensor y = overwritten(run, in[0]);
  run.launch("add_", {&in[0], &in[1], &y});
  run.record_strided(
      "add_", {&y}, {&in[0], &in[1]}, [](Runtime&, Node& self, Tensors& grad) -> Tensors {
        return {self.needs(0) ? grad[0] : Tensor{}, self.needs(1) ? grad[0] : Tensor{}};
      });
  return {y};
}

// CopySlices around a mul: a gradient of the whole base, a copy of the view's part of it, and that
// part's own gradient, which is written back.
Tensor through_slices(Runtime& run, const Tensor& grad) {
  Tensor back = run.output_like(grad, "input gradient");
  run.launch("copy_", {&grad, &back});
  const Tensor slice = run.output_like(grad, "copy of the view's gradient");
  const Tensor of_slice = run.output_like(grad, "gradient of the view");
  run.launch("mul", {&slice, &of_slice});
  run.launch("copy_", {&of_slice, &back});
  return back;
}

Tensors dropout_in_place(Runtime& run, const Tensors& in, const Tensors&, const Attributes& with) {
  const Tensor& x = in[0];
  if (with.p == 0) return {x};
  Tensor noise = run.output_like(x, "noise");
  noise.strides = preserved_strides(x);
  run.launch("bernoulli_", {&noise});
  run.launch("div_", {&noise, &noise});
  Tensor y = overwritten(run, x);
  run.launch("mul_", {&x, &noise, &y});
  Node* node = run.record_strided(
      "mul_", {&y}, {&x},
      [slices = with.on_view](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        if (slices) return {through_slices(r, grad[0])};
        return {elementwise(r, "mul", {&grad[0], &self.saved[0]}, grad[0].dtype, "input gradient")};
      });
  if (node != nullptr) run.keep(*node, noise);
  return {y};
}

}  // namespace

const Operator kConvolutionOf{
    "convolution",
    [](Runtime& run, const Tensors& in, const Tensors&, const Attributes& with) -> Tensors {
      return {convolution(run, in[0], in[1], in[2], {with.shape, with.groups, false})};
    }};
const Operator kBatchNormOf{
    "batch_norm",
    [](Runtime& run, const Tensors& in, const Tensors&, const Attributes& with) -> Tensors {
      return {batch_norm(run, in[0], in[1], in[2], with.cudnn)};
    }};
const Operator kGroupNormOf{
    "group_norm",
    [](Runtime& run, const Tensors& in, const Tensors&, const Attributes& with) -> Tensors {
      return {group_norm(run, in[0], in[1], in[2], with.groups)};
    }};
const Operator kAddInPlace{"add_", add_in_place};
const Operator kReluInPlace{
    "relu_", [](Runtime& run, const Tensors& in, const Tensors&, const Attributes&) -> Tensors {
      return {activate(run, Activation::Relu, in[0], true, false)};
    }};
const Operator kHardtanhInPlace{"hardtanh_", in_place<kHardtanhRule>};
const Operator kSiluInPlace{"silu_", in_place<kSiluRule>};
const Operator kHardswishInPlace{"hardswish_", in_place<kHardswishRule>};
const Operator kDropoutInPlace{"dropout_", dropout_in_place};

}  // namespace forerun::ops
