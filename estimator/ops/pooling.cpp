#include "estimator/ops/pooling.h"

#include "estimator/ops/reduction.h"

namespace forerun::ops {
namespace {

// Backward of every pool that keeps its input makes one gradient, cleared first.
Node* record_pool(Runtime& run, std::string_view op, std::string_view backward_op, const Tensor& x,
                  Tensor& y) {
  Node* node =
      run.record(op, y, {&x}, [backward_op](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        Tensor back = r.output_like(self.saved[0], "input gradient");
        r.launch("zero_", {&back});
        r.launch(backward_op, {&grad[0], &back});
        return {back};
      });
  if (node != nullptr) run.keep(*node, x);
  return node;
}

Tensor average(Runtime& run, std::string_view op, std::string_view backward_op, const Tensor& x,
               const Shape& output) {
  Tensor y{nullptr, output, x.dtype, nullptr, false};
  record_pool(run, op, backward_op, x, y);
  if (run.recomputed_enough()) return y;
  run.allocate(y, "output");
  run.launch(op, {&x, &y});
  return y;
}

// x.mean({-1, -2}, keepdim)
Tensor mean(Runtime& run, const Tensor& x, const Shape& output) {
  Tensor y = run.output(output, x.dtype, "output");
  const std::int64_t planes = y.elements();
  reduce(run, "mean", {planes, x.elements() / planes, Reduction::Over::Inner, x.dtype, x.dtype});
  run.record("mean", y, {&x}, [to = x.shape](Runtime& r, Node&, Tensors& grad) -> Tensors {
    Tensor back = r.output(to, grad[0].dtype, "input gradient");
    r.launch("div", {&grad[0], &back});
    return {back};
  });
  return y;
}

}  // namespace

Tensor max_pool(Runtime& run, const Tensor& x, const Shape& output) {
  Tensor y = run.output(output, x.dtype, "output");
  const Tensor indices = run.output(output, DType::Int64, "indices");
  run.launch("max_pool2d_with_indices", {&x, &y, &indices});
  Node* node =
      record_pool(run, "max_pool2d_with_indices", "max_pool2d_with_indices_backward", x, y);
  if (node != nullptr) run.keep(*node, indices);
  return y;
}

Tensor avg_pool(Runtime& run, const Tensor& x, const Shape& output) {
  return average(run, "avg_pool2d", "avg_pool2d_backward", x, output);
}

Tensor adaptive_avg_pool(Runtime& run, const Tensor& x, const Shape& output) {
  if (output[2] == 1 && output[3] == 1) return mean(run, x, output);
  return average(run, "_adaptive_avg_pool2d", "_adaptive_avg_pool2d_backward", x, output);
}

}  // namespace forerun::ops
