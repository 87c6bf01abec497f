#include "estimator/ops/gather.h"

namespace forerun::ops {
namespace {

Tensors gather_backward(Runtime& r, Node& self, Tensors& grad, const Shape& of) {
  Tensor back = r.output(of, grad[0].dtype, "gathered tensor's gradient");
  r.launch("scatter_add_", {&grad[0], &self.saved[0], &back});
  return {back, Tensor{}};
}

Tensors gather(Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
  const Tensor &x = in[0], &index = in[1];
  Tensor y = run.output(index.shape, x.dtype, "gathered");
  run.launch("gather", {&x, &index, &y});
  Node* node = run.record_strided("gather", {&y}, {&x, &index},
                                  [of = x.shape](Runtime& r, Node& self, Tensors& grad) -> Tensors {
                                    return gather_backward(r, self, grad, of);
                                  });
  if (node != nullptr) run.keep(*node, index);
  return {y};
}

}  // namespace

const Operator kGather{"gather", gather};

}  // namespace forerun::ops
