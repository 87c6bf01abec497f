#include "estimator/ops/aggregate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "estimator/ops/define_operator.h"
#include "estimator/ops/pointwise.h"
#include "estimator/ops/reduction.h"
#include "estimator/ops/strides.h"
#include "estimator/ops/view.h"

namespace forerun::ops {
namespace {

std::vector<bool> reduced_dims(const Tensor& x, const Shape& dims) {
  std::vector<bool> reduced(x.shape.size(), dims.empty());
  for (const std::int64_t dim : dims) reduced[wrapped(dim, x.shape.size())] = true;
  return reduced;
}

Shape reduced_shape(const Tensor& x, const std::vector<bool>& reduced, bool keepdim) {
  Shape shape;
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (!reduced[i])
      shape.push_back(x.shape[i]);
    else if (keepdim)
      shape.push_back(1);
  }
  return shape;
}

// The reduction as TensorIterator sees it: neighbours that are both reduced or both kept are one
// dimension. More than three of them in turn are taken for the last three.
Reduction as_runs(const Tensor& x, const std::vector<bool>& reduced, DType result) {
  struct RunOf {
    std::int64_t size;
    bool reduced;
  };
  std::vector<RunOf> runs;
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    if (x.shape[i] == 1) continue;
    if (!runs.empty() && runs.back().reduced == reduced[i])
      runs.back().size *= x.shape[i];
    else
      runs.push_back({x.shape[i], reduced[i]});
  }
  while (runs.size() > 3) {
    runs[1].size *= runs[0].size;
    runs.erase(runs.begin());
  }
  using Over = Reduction::Over;
  Reduction made{1, 1, Over::Inner, x.dtype, result};
  if (runs.empty()) return made;
  if (runs.size() == 1) {
    (runs[0].reduced ? made.inner : made.outer) = runs[0].size;
    return made;
  }
  made.outer = runs[0].size;
  made.inner = runs.back().size;
  if (runs.size() == 3) {
    made.middle = runs[1].size;
    made.over = runs[0].reduced ? Over::Ends : Over::Middle;
    return made;
  }
  made.over = runs[0].reduced ? Over::Outer : Over::Inner;
  return made;
}

Tensor aggregate(Runtime& run, std::string_view kernel, const Tensor& x,
                 const std::vector<bool>& reduced, bool keepdim, DType dtype) {
  Tensor y = run.output(reduced_shape(x, reduced, keepdim), dtype, kernel);
  if (x.elements() > 0) reduce(run, kernel, as_runs(x, reduced, dtype));
  return y;
}

// The gradient of a sum, seen in the input's shape.
Tensor spread(Runtime& run, Tensor gradient, const Shape& shape, const std::vector<bool>& reduced,
              bool keepdim) {
  if (!keepdim && !gradient.shape.empty()) {
    for (std::size_t i = 0; i < reduced.size(); ++i)
      if (reduced[i]) gradient = unsqueeze(run, gradient, static_cast<std::int64_t>(i));
  }
  return expand(run, gradient, shape);
}

Tensor sum_like(Runtime& run, bool mean, const Tensor& x, const Shape& dims, bool keepdim) {
  const std::vector<bool> reduced = reduced_dims(x, dims);
  const DType dtype = is_floating(x.dtype) ? x.dtype : DType::Int64;
  const std::string_view op = mean ? "mean" : "sum";
  Tensor y = aggregate(run, op, x, reduced, keepdim, dtype);
  run.record_strided(
      op, {&y}, {&x},
      [mean, reduced, keepdim, shape = x.shape](Runtime& r, Node&, Tensors& grad) -> Tensors {
        Tensor back = spread(r, grad[0], shape, reduced, keepdim);
        if (!mean) return {back};
        return {elementwise(r, "div", {&back}, back.dtype, "gradient of the mean")};
      });
  return y;
}

}  // namespace

Tensor sum(Runtime& run, const Tensor& x, const Shape& dims, bool keepdim) {
  return sum_like(run, false, run.cast_float(x), dims, keepdim);
}

Tensor mean(Runtime& run, const Tensor& x, const Shape& dims, bool keepdim) {
  return sum_like(run, true, x, dims, keepdim);
}

Tensor sum_to(Runtime& run, const Tensor& gradient, const Shape& shape) {
  const std::size_t lead = gradient.shape.size() - shape.size();
  std::vector<bool> reduced(gradient.shape.size(), false);
  bool any = false;
  for (std::size_t i = 0; i < reduced.size(); ++i) {
    reduced[i] = i < lead || (shape[i - lead] == 1 && gradient.shape[i] != 1);
    any = any || reduced[i];
  }
  if (!any) return gradient;
  Tensor made = aggregate(run, "sum", gradient, reduced, true, gradient.dtype);
  made.shape = shape;  // a view without the leading ones
  return made;
}

namespace {

Tensor without_gradient(Runtime& run, const Tensor& x, const Attributes& with) {
  const Shape dims = with.value == 1 ? Shape{} : Shape{with.dim};
  return aggregate(run, "reduce", x, reduced_dims(x, dims), with.keepdim,
                   with.dtype.value_or(x.dtype));
}

Tensor cumsum(Runtime& run, const Tensor& given) {
  const Tensor x = run.cast_float(given);
  Tensor y = run.output(x.shape, is_floating(x.dtype) ? x.dtype : DType::Int64, "cumulative sum");
  const Tensor read = to_dtype(run, x, y.dtype);
  run.launch("cumsum", {&read, &y});
  return y;
}

Tensor softmax_over(Runtime& run, bool logarithm, const Tensor& given, std::optional<DType> as) {
  const DType dtype = as ? *as : run.autocast ? DType::Float32 : given.dtype;
  // CUDA's kernel reads half and writes float.
  const bool reads_half = given.dtype == DType::Float16 && dtype == DType::Float32;
  const Tensor x = reads_half ? given : to_dtype(run, given, dtype);
  const Tensor dense = contiguous(run, x.detach());
  const std::string_view op = logarithm ? "_log_softmax" : "_softmax";
  Tensor y = run.output(x.shape, dtype, "probabilities");
  run.launch(op, {&x, &y});
  Node* node = run.record_strided(
      op, {&y}, {&x}, [logarithm, to = x.dtype](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        const Tensor dense_grad = contiguous(r, grad[0]);
        Tensor back = r.output(grad[0].shape, to, "scores gradient");
        Tensor products;
        if (!logarithm) products = r.output_like(dense_grad, "gradient times probabilities");
        r.launch("_softmax_backward_data", {&dense_grad, &self.saved[0], &back});
        return {back};
      });
  if (node != nullptr) run.keep(*node, y);
  return y;
}

}  // namespace

FORERUN_OPERATOR(kSum, "sum", {sum(run, in[0], with.shape, with.keepdim)});
FORERUN_OPERATOR(kMean, "mean", {mean(run, in[0], with.shape, with.keepdim)});
FORERUN_OPERATOR(kReduceWithoutGradient, "reduce", {without_gradient(run, in[0], with)});
FORERUN_OPERATOR(kCumsum, "cumsum", {cumsum(run, in[0])});
FORERUN_OPERATOR(kSoftmaxOver, "softmax", {softmax_over(run, false, in[0], with.dtype)});
FORERUN_OPERATOR(kLogSoftmaxOver, "log_softmax", {softmax_over(run, true, in[0], with.dtype)});

}  // namespace forerun::ops
