#include "estimator/ops/activation.h"

#include <array>
#include <string_view>

#include "estimator/ops/reduction.h"

namespace forerun::ops {
namespace {

struct Rule {
  std::string_view forward;
  std::string_view backward;
  bool keeps_input;
};

constexpr std::array<Rule, 12> kRules{{
    {"relu", "threshold_backward", false},
    {"gelu", "gelu_backward", true},
    {"tanh", "tanh_backward", false},
    {"sigmoid", "sigmoid_backward", false},
    {"silu", "silu_backward", true},
    {"leaky_relu", "leaky_relu_backward", true},
    {"elu", "elu_backward", true},
    {"selu", "elu_backward", true},
    {"hardtanh", "hardtanh_backward", true},
    {"hardswish", "hardswish_backward", true},
    {"mish", "mish_backward", true},
    {"softplus", "softplus_backward", true},
}};

}  // namespace

Tensor activate(Runtime& run, Activation kind, const Tensor& given, bool inplace, bool on_view) {
  const Tensor x = kind == Activation::Softplus ? run.cast_float(given) : given;
  const Rule& rule = kRules[static_cast<std::size_t>(kind)];
  Tensor y{nullptr, x.shape, x.dtype, nullptr, false};
  if (inplace) {
    y = x.detach();
    y.storage->overwrite(run.where);
  }
  const bool slices = inplace && on_view;
  Node* node = run.record(
      rule.forward, y, {&x}, [rule, slices](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        Tensor back = r.output_like(grad[0], "input gradient");
        if (!slices) {
          r.launch(rule.backward, {&grad[0], &self.saved[0], &back});
          return {back};
        }
        // CopySlices: a gradient of the whole base, a copy of the view's part of it, and that
        // part's gradient, written back.
        const Tensor slice = r.output_like(grad[0], "copy of the view's gradient");
        const Tensor of_slice = r.output_like(grad[0], "gradient of the view");
        r.launch("copy_", {&grad[0], &back});
        r.launch("clone", {&back, &slice});
        r.launch(rule.backward, {&slice, &self.saved[0], &of_slice});
        r.launch("copy_", {&of_slice, &back});
        return {back};
      });
  // The input is kept before the operator runs, the result after.
  if (node != nullptr && rule.keeps_input) run.keep(*node, x);
  if (run.recomputed_enough()) return y;
  if (!inplace) run.allocate(y, "output");
  run.launch(rule.forward, {&x, &y});
  if (node != nullptr && !rule.keeps_input) run.keep(*node, y);
  return y;
}

Tensor softmax(Runtime& run, const Tensor& given, bool logarithm) {
  const DType dtype = run.autocast ? DType::Float32 : given.dtype;
  const bool reads_half = given.dtype == DType::Float16;
  const Tensor x = reads_half ? given : run.cast(given, dtype);
  Tensor y = run.output(x.shape, dtype, "output");
  run.launch(logarithm ? "_log_softmax" : "_softmax", {&x, &y});
  Node* node =
      run.record(logarithm ? "_log_softmax" : "_softmax", y, {&x},
                 [logarithm, to = x.dtype](Runtime& r, Node& self, Tensors& grad) -> Tensors {
                   Tensor back = r.output(grad[0].shape, to, "input gradient");
                   Tensor products;
                   if (!logarithm) products = r.output_like(grad[0], "gradient times output");
                   r.launch("_softmax_backward_data", {&grad[0], &self.saved[0], &back});
                   return {back};
                 });
  if (node != nullptr) run.keep(*node, y);
  return y;
}

Tensor dropout(Runtime& run, const Tensor& x, double p) {
  if (p == 0) return x;
  const Tensor mask = run.output(x.shape, DType::Bool, "mask");
  Tensor y = run.output_like(x, "output");
  run.launch("native_dropout", {&x, &mask, &y});
  Node* node =
      run.record("native_dropout", y, {&x}, [](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        Tensor back = r.output_like(grad[0], "input gradient");
        r.launch("native_dropout_backward", {&grad[0], &self.saved[0], &back});
        return {back};
      });
  if (node != nullptr) run.keep(*node, mask);
  return y;
}

Tensor divide(Runtime& run, const Tensor& x) {
  Tensor y = run.output({}, x.dtype, "divided");
  run.launch("div", {&x, &y});
  run.record("div", y, {&x}, [](Runtime& r, Node&, Tensors& grad) -> Tensors {
    Tensor back = r.output_like(grad[0], "input gradient");
    r.launch("div", {&grad[0], &back});
    return {back};
  });
  return y;
}

Tensor multiply(Runtime& run, const Tensor& x, const Tensor& scale) {
  Tensor y = run.output({}, x.dtype, "scaled");
  run.launch("mul", {&x, &scale, &y});
  Node* node = run.record("mul", y, {&x}, [](Runtime& r, Node& self, Tensors& grad) -> Tensors {
    Tensor back = r.output_like(grad[0], "input gradient");
    r.launch("mul", {&grad[0], &self.saved[0], &back});
    return {back};
  });
  if (node != nullptr) run.keep(*node, scale);
  return y;
}

namespace {

// What the engine makes of a gradient before it goes on: the shape, then the dtype of the input it
// belongs to.
Tensor fit(Runtime& run, const Tensor& gradient, const Shape& shape, DType dtype) {
  Tensor fitted = gradient;
  if (gradient.shape.size() > shape.size()) {
    fitted = run.output(shape, gradient.dtype, "gradient summed over the batch");
    reduce(run, "sum",
           {gradient.shape[0], fitted.elements(), Reduction::Over::Outer, gradient.dtype,
            gradient.dtype});
  }
  if (fitted.dtype == dtype) return fitted;
  Tensor cast = run.output(shape, dtype, "gradient cast");
  run.launch("_to_copy", {&fitted, &cast});
  return cast;
}

}  // namespace

Tensor add(Runtime& run, const Tensor& a, const Tensor& b) {
  const DType dtype = size_bytes(a.dtype) >= size_bytes(b.dtype) ? a.dtype : b.dtype;
  Tensor y = run.output(a.shape, dtype, "output");
  run.launch("add", {&a, &b, &y});
  run.record("add", y, {&a, &b},
             [own = y.shape, to_a = a.shape, to_b = b.shape, as_a = a.dtype, as_b = b.dtype](
                 Runtime& r, Node& self, Tensors& grad) -> Tensors {
               grad[0].shape = own;  // a view's, where the gradient comes through one
               Tensors back(2);
               if (self.needs(0)) back[0] = fit(r, grad[0], to_a, as_a);
               if (self.needs(1)) back[1] = fit(r, grad[0], to_b, as_b);
               return back;
             });
  return y;
}

}  // namespace forerun::ops
