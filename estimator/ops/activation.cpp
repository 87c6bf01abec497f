#include "estimator/ops/activation.h"

#include <array>
#include <string_view>

namespace forerun::ops {
namespace {

struct Rule {
  std::string_view forward;
  std::string_view backward;
  bool keeps_input;
};

constexpr std::array<Rule, 5> kRules{{
    {"relu", "threshold_backward", false},
    {"gelu", "gelu_backward", true},
    {"tanh", "tanh_backward", false},
    {"sigmoid", "sigmoid_backward", false},
    {"silu", "silu_backward", true},
}};

}  // namespace

Tensor activate(Runtime& run, Activation kind, const Tensor& x, bool inplace) {
  const Rule& rule = kRules[static_cast<std::size_t>(kind)];
  Tensor y = inplace ? x.detach() : run.output_like(x, "output");
  if (inplace) y.storage->overwrite(run.where);
  run.launch(rule.forward, {&x, &y});
  Node* node = run.record(rule.forward, y, {&x}, [rule](Runtime& r, Node& self, Tensors& grad) -> Tensors {
    Tensor back = r.output_like(grad[0], "input gradient");
    r.launch(rule.backward, {&grad[0], &self.saved[0], &back});
    return {back};
  });
  if (node != nullptr) node->keep(rule.keeps_input ? x : y);
  return y;
}

Tensor dropout(Runtime& run, const Tensor& x, double p) {
  if (p == 0) return x;
  const Tensor mask = run.output(x.shape, DType::Bool, "mask");
  Tensor y = run.output_like(x, "output");
  run.launch("native_dropout", {&x, &mask, &y});
  Node* node = run.record("native_dropout", y, {&x}, [](Runtime& r, Node& self, Tensors& grad) -> Tensors {
    Tensor back = r.output_like(grad[0], "input gradient");
    r.launch("native_dropout_backward", {&grad[0], &self.saved[0], &back});
    return {back};
  });
  if (node != nullptr) node->keep(mask);
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
  if (node != nullptr) node->keep(scale);
  return y;
}

Tensor add(Runtime& run, const Tensor& a, const Tensor& b) {
  Tensor y = run.output_like(a, "output");
  run.launch("add", {&a, &b, &y});
  run.record("add", y, {&a, &b}, [](Runtime&, Node&, Tensors& grad) -> Tensors { return {grad[0], grad[0]}; });
  return y;
}

}  // namespace forerun::ops
