#include "estimator/ops/attention.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/units.h"
#include "estimator/ops/blas.h"
#include "estimator/ops/sdpa.h"
#include "estimator/ops/view.h"

namespace forerun::ops {
namespace {

struct Heads {
  std::int64_t batch, length, width, heads, head_dim;

  Heads(const Tensor& qkv, std::int64_t count)
      : batch(qkv.shape[0]),
        length(qkv.shape[1]),
        width(qkv.shape[2] / 3),
        heads(count),
        head_dim(width / count) {}
  Shape output() const { return {batch, length, width}; }
  Shape packed() const { return {batch, length, 3 * width}; }
};

// The gradients of q, k, v meet in one tensor again, the gradient of the packed projection
// (SplitBackward's cat).
Tensor pack(Runtime& run, const Heads& h, DType dtype) {
  Tensor packed = run.output(h.packed(), dtype, "q, k, v gradient");
  run.launch("cat", {&packed, &packed});
  return packed;
}

}  // namespace

Tensor attention(Runtime& run, const Tensor& qkv, std::int64_t heads) {
  const Heads h(qkv, heads);
  auto in_heads = [&](const Tensor& x) {
    return transpose(run, reshape(run, x, {h.batch, h.length, h.heads, h.head_dim}), 1, 2);
  };
  const Tensors parts = split(run, qkv, {h.width, h.width, h.width}, 2);
  const Tensor q = in_heads(parts[0]);
  const Tensor k = in_heads(parts[1]);
  const Tensor v = in_heads(parts[2]);
  const Tensor y = sdpa(run, q, k, v, {}, {.dropout = 0, .causal = true});
  return reshape(run, transpose(run, y, 1, 2), h.output());
}

namespace {

// matmul folds batch and heads into one dimension; with more than one of both that needs a copy.
bool folding_copies(const Heads& h) { return h.batch > 1 && h.heads > 1; }
// [batch, heads, length, head_dim] back to [batch, length, d]: a view only with one head or one
// position.
bool unfolding_copies(const Heads& h) { return h.length > 1 && h.heads > 1; }

class ExplicitBackward {
 public:
  ExplicitBackward(Runtime& run, const Heads& h, DType qkv, DType probabilities)
      : run_(run), h_(h), qkv_(qkv), probabilities_(probabilities) {}

  // saved: q, k, mask (may be undefined), probabilities, probabilities in the dtype of v (when
  // another), v
  Tensor operator()(Tensors& grad, Tensors& saved) {
    Tensor out = std::move(grad[0]);
    if (folding_copies(h_)) out = rows("output gradient, heads first");
    Tensor dv = product("v gradient", h_.output(), h_.length, h_.head_dim, h_.length);
    Tensor scores = product("probabilities gradient", square(), h_.length, h_.length, h_.head_dim);
    out = {};
    saved[5] = {};
    saved[4] = {};
    if (probabilities_ != qkv_)
      scores = square_of(probabilities_, "probabilities gradient in float");
    scores = softmax(std::move(scores));
    saved[3] = {};
    if (scores.dtype != qkv_) scores = square_of(qkv_, "scores gradient cast");
    if (saved[2]) scores = square_of(qkv_, "masked scores gradient");
    saved[2] = {};
    scores = square_of(qkv_, "scaled scores gradient");
    Tensor dk = product("k gradient", h_.output(), h_.head_dim, h_.length, h_.length);
    Tensor dq = product("q gradient", h_.output(), h_.length, h_.head_dim, h_.length);
    scores = {};
    saved.clear();
    if (unfolding_copies(h_)) dv = rows("v gradient, positions first");
    if (unfolding_copies(h_)) dq = rows("q gradient, positions first");
    return pack(run_, h_, qkv_);
  }

 private:
  Shape square() const { return {h_.batch, h_.heads, h_.length, h_.length}; }
  Tensor rows(std::string_view what) { return made(run_.output(h_.output(), qkv_, what)); }
  Tensor square_of(DType dtype, std::string_view what) {
    return made(run_.output(square(), dtype, what));
  }
  Tensor made(Tensor tensor) {
    run_.launch("elementwise", {&tensor, &tensor});
    return tensor;
  }
  Tensor product(std::string_view what, Shape shape, std::int64_t m, std::int64_t n,
                 std::int64_t k) {
    Tensor result = run_.output(std::move(shape), qkv_, what);
    use_cublas(run_);
    run_.launch_matmul("bmm", h_.batch * h_.heads * m, n, k, qkv_);
    return result;
  }
  // The result, and grad * output for the time of the kernel. A half softmax in float gives half
  // back.
  Tensor softmax(Tensor gradient) {
    const DType result = qkv_ == DType::Float16 && probabilities_ == DType::Float32
                             ? DType::Float16
                             : probabilities_;
    Tensor back = square_of(result, "scores gradient");
    const Tensor products = square_of(gradient.dtype, "gradient times probabilities");
    return back;
  }

  Runtime& run_;
  const Heads h_;
  const DType qkv_, probabilities_;
};

}  // namespace

Tensors explicit_attention(Runtime& run, const Tensor& qkv, std::int64_t heads, bool causal) {
  const Heads h(qkv, heads);
  const DType dtype = qkv.dtype;
  const Shape square{h.batch, h.heads, h.length, h.length};
  auto folded = [&](std::string_view what) {
    return folding_copies(h) ? run.output(h.output(), dtype, what) : qkv.detach();
  };
  auto scores_of = [&](DType as, std::string_view what) {
    Tensor made = run.output(square, as, what);
    run.launch("elementwise", {&made, &made});
    return made;
  };

  Tensor y{nullptr, h.output(), dtype, nullptr, false};
  const DType softmax_dtype = run.autocast ? DType::Float32 : dtype;
  Node* node =
      run.record("explicit_attention", y, {&qkv},
                 [h, dtype, softmax_dtype](Runtime& r, Node& self, Tensors& grad) -> Tensors {
                   return {ExplicitBackward(r, h, dtype, softmax_dtype)(grad, self.saved)};
                 });
  auto keep = [&](const Tensor& one) {
    if (node != nullptr) run.keep(*node, one);
  };
  auto multiply = [&](Shape shape, std::string_view what, std::int64_t n, std::int64_t k) {
    Tensor product = run.output(std::move(shape), dtype, what);
    use_cublas(run);
    run.launch_matmul("bmm", h.batch * h.heads * h.length, n, k, dtype);
    return product;
  };

  // Each scope ends where Python or C++ lets go of its names; what is kept lives on with the node.
  Tensor scores;
  {
    const Tensor q = folded("q, heads first");
    const Tensor k = folded("k, heads first");
    keep(q);
    keep(k);
    scores = multiply(square, "scores", h.length, h.head_dim);
  }
  scores = scores_of(dtype, "scaled scores");
  {
    Tensor mask;
    for (const char* what : {"ones", "lower triangle", "mask"}) {
      if (causal) mask = run.output({h.length, h.length}, DType::Bool, what);
    }
    keep(mask);
    if (causal) scores = scores_of(dtype, "masked scores");
  }
  Tensor product;
  {
    // softmax is on autocast's fp32 list: bfloat16 scores are copied first, float16 ones are read
    // as they are.
    Tensor widened;
    if (softmax_dtype != dtype && dtype == DType::BFloat16)
      widened = scores_of(softmax_dtype, "scores in float");
    const Tensor probabilities = scores_of(softmax_dtype, "probabilities");
    widened = {};
    keep(probabilities);
    const Tensor narrow =
        softmax_dtype == dtype ? probabilities : scores_of(dtype, "probabilities cast");
    keep(narrow);
    const Tensor v = folded("v, heads first");
    keep(v);
    product = multiply(h.output(), "attention output, heads first", h.head_dim, h.length);
  }
  if (unfolding_copies(h))
    run.allocate(y, "attention output");
  else
    y.storage = product.storage;
  return {y, product, scores};
}

}  // namespace forerun::ops
