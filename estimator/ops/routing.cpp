#include "estimator/ops/routing.h"

#include <utility>

#include "estimator/ops/pointwise.h"
#include "estimator/ops/strides.h"
#include "estimator/ops/view.h"

namespace forerun::ops {
namespace {

constexpr std::int64_t kScanScratchBytes = 1023;

// cub's radix sort of pairs of int64: one tile needs no memory, more of them what embedding.cpp
// has.
std::int64_t sort_scratch_bytes(std::int64_t n) {
  constexpr std::int64_t kOneTile = 2304, kAlign = 256, kTile = 4608, kCounters = 16'895;
  if (n <= kOneTile) return 1;
  return 2 * ((8 * n + kAlign - 1) / kAlign) * kAlign + 1024 * ((n + kTile - 1) / kTile) +
         kCounters;
}

Tensor indices_of(Runtime& run, std::int64_t n, std::string_view role) {
  return run.output({n}, DType::Int64, role);
}

Tensors top_k(Runtime& run, const Tensors& in, const Tensors&, const Attributes& with) {
  const Tensor& x = in[0];
  Shape shape = x.shape;
  shape.back() = with.shape[0];
  Tensor values = run.output(shape, x.dtype, "largest values");
  Tensor indices = run.output(shape, DType::Int64, "their indices");
  run.launch("topk", {&x, &values});
  Node* node = run.record_strided(
      "topk", {&values}, {&x}, [whole = x.shape](Runtime& r, Node&, Tensors& grad) -> Tensors {
        Tensor back = r.output(whole, grad[0].dtype, "gradient scattered");
        r.launch("scatter", {&grad[0], &back});
        return {back};
      });
  if (node != nullptr) run.keep(*node, indices);
  return {values, indices};
}

Tensors sort(Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
  Tensor keys = run.output_like(in[0], "sorted keys");
  Tensor places = run.output_like(in[0], "where they were");
  const Tensor positions = run.output_like(in[0], "positions");
  run.launch("sort", {&in[0], &keys, &places});
  return {keys, places};
}

// index_put_with_sort_kernel
Tensor index_backward(Runtime& r, const Tensor& grad, const Shape& whole, std::int64_t count) {
  Tensor back = r.output(whole, grad.dtype, "gradient of the rows");
  r.launch("fill_", {&back});
  Tensor linear;
  {
    const Tensor scaled = indices_of(r, count, "scaled indices");
    linear = indices_of(r, count, "linear indices");
  }
  const Tensor sorted = indices_of(r, count, "sorted indices");
  const Tensor original = indices_of(r, count, "original positions");
  {
    const Tensor range = indices_of(r, count, "positions");
    const Tensor scratch = r.output({sort_scratch_bytes(count)}, DType::UInt8, "sort scratch");
  }
  r.launch("index_put_", {&grad, &back});
  return back;
}

Tensors index_rows(Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
  const Tensor& x = in[0];
  Shape shape = x.shape;
  shape[0] = in[1].elements();
  Tensor y = run.output(std::move(shape), x.dtype, "rows");
  run.launch("index", {&y, &y});
  Node* node = run.record_strided(
      "index", {&y}, {&x},
      [whole = x.shape, count = in[1].elements()](Runtime& r, Node&, Tensors& grad) -> Tensors {
        return {index_backward(r, grad[0], whole, count)};
      });
  if (node != nullptr) run.keep(*node, in[1]);
  return {y};
}

Tensors grouped_mm(Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
  const Tensor& x = in[0];
  const Tensor& weight = in[1];
  const std::int64_t rows = x.shape[0], out = weight.shape[1], depth = weight.shape[2];
  Tensor y{nullptr, {rows, out}, x.dtype, nullptr, false};
  Node* node = run.record_strided(
      "_grouped_mm", {&y}, {&x, &weight},
      [rows, out, depth, of = weight.shape](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        Tensors back(2);
        if (self.needs(1)) back[1] = r.output(of, grad[0].dtype, "weight gradient");
        if (self.needs(0)) back[0] = r.output({rows, depth}, grad[0].dtype, "input gradient");
        r.launch_matmul("_grouped_mm", rows, out, 2 * depth, grad[0].dtype);
        return back;
      });
  if (node != nullptr)
    for (const Tensor& one : {x, weight, in[2]}) run.keep(*node, one);
  if (run.recomputed_enough()) return {y};
  run.allocate(y, "output");
  run.launch_matmul("_grouped_mm", rows, out, depth, x.dtype);
  return {y};
}

Tensors div_in_place(Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
  const Tensor& a = in[0];
  const Tensor& b = in[1];
  Tensor y = a.detach();
  Node* node = run.record_strided(
      "div_", {&y}, {&a, &b}, [](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        Tensors back(2);
        const Tensor& was = self.saved[0];
        const Tensor& by = self.saved[1];
        auto make = [&](std::string_view op, const Tensor& x, const Tensor& z) {
          return elementwise(r, op, {&x, &z}, grad[0].dtype, "operand gradient");
        };
        if (self.needs(1)) {
          const Tensor negated = make("neg", grad[0], grad[0]);
          const Tensor ratio = make("div", was, by);
          const Tensor slope = make("div", ratio, by);
          back[1] = make("mul", negated, slope);
        }
        if (self.needs(0)) back[0] = make("div", grad[0], by);
        return back;
      });
  if (node == nullptr) return {y};
  const Tensor was = run.output_like(a, "what was divided");
  run.launch("clone", {&a, &was});
  run.keep(*node, was);
  run.keep(*node, b);
  return {y};
}

Tensors offsets(Runtime& run, const Tensors&, const Tensors&, const Attributes& with) {
  const Tensor counts = run.output(with.shape, DType::Int32, "rows of each group");
  Tensor sums = run.output(with.shape, DType::Int32, "offsets of the groups");
  { const Tensor scan = run.output({kScanScratchBytes}, DType::UInt8, "scan scratch"); }
  return {sums, counts};
}

}  // namespace

const Operator kTopK{"topk", top_k};
const Operator kSort{"sort", sort};
const Operator kIndexRows{"index", index_rows};
const Operator kGroupedMm{"_grouped_mm", grouped_mm};
const Operator kDivInPlace{"div_", div_in_place};
const Operator kOffsets{"histc", offsets};

}  // namespace forerun::ops
