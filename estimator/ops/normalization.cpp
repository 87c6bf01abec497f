#include "estimator/ops/normalization.h"

#include <fmt/format.h>

namespace forerun::ops {

Tensor layer_norm(Runtime& run, const Tensor& x_in, const Tensor& weight, const Tensor& bias) {
  const Tensor x = run.cast_float(x_in);
  const std::int64_t n = x.shape.back();
  const std::int64_t rows = x.elements() / n;
  Tensor y = run.output_like(x, "output");
  const Tensor mean = run.output({rows}, DType::Float32, "mean");
  const Tensor rstd = run.output({rows}, DType::Float32, "rstd");
  run.launch("native_layer_norm", {&x, &y});
  Node* node = run.record("native_layer_norm", y, {&x, &weight, &bias}, [n](Runtime& r, Node& self, Tensors& grad) -> Tensors {
    Tensors back(3);
    const DType dtype = self.saved[0].dtype;
    if (self.needs(0)) back[0] = r.output_like(self.saved[0], "input gradient");
    auto parameter = [&](std::string_view what) {
      return r.empty({n}, dtype, Category::Gradients, fmt::format("{} {} gradient", self.where, what));
    };
    if (self.needs(1)) back[1] = parameter("weight");
    if (self.needs(2)) back[2] = parameter("bias");
    r.launch("native_layer_norm_backward", {&grad[0], &self.saved[0], &grad[0]});
    r.launch("native_layer_norm_backward", {&grad[0], &self.saved[0]});
    return back;
  });
  if (node != nullptr) {
    node->keep(x);
    node->keep(mean);
    node->keep(rstd);
  }
  return y;
}

}  // namespace forerun::ops
