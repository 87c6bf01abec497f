#include "estimator/ops/pooling.h"

#include "estimator/ops/reduction.h"

namespace forerun::ops {
namespace {

// A pool that keeps its input and, where `extra` is given, that too; backward makes one gradient.
Tensor pool(Runtime& run, std::string_view op, std::string_view backward_op, const Tensor& x,
            Tensor y, const Tensor& extra) {
  run.launch(op, {&x, &y});
  Node* node =
      run.record(op, y, {&x}, [backward_op](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        Tensor back = r.output_like(self.saved[0], "input gradient");
        r.launch("zero_", {&back});
        r.launch(backward_op, {&grad[0], &back});
        return {back};
      });
  if (node == nullptr) return y;
  run.keep(*node, x);
  if (extra) run.keep(*node, extra);
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
  return pool(run, "max_pool2d_with_indices", "max_pool2d_with_indices_backward", x, std::move(y),
              indices);
}

Tensor avg_pool(Runtime& run, const Tensor& x, const Shape& output) {
  return pool(run, "avg_pool2d", "avg_pool2d_backward", x, run.output(output, x.dtype, "output"),
              {});
}

Tensor adaptive_avg_pool(Runtime& run, const Tensor& x, const Shape& output) {
  if (output[2] == 1 && output[3] == 1) return mean(run, x, output);
  return pool(run, "_adaptive_avg_pool2d", "_adaptive_avg_pool2d_backward", x,
              run.output(output, x.dtype, "output"), {});
}

}  // namespace forerun::ops
