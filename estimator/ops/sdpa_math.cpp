// _scaled_dot_product_attention_math: every step an operator of its own, 16 bits in float.
#include <utility>

#include "estimator/ops/activation.h"
#include "estimator/ops/matmul.h"
#include "estimator/ops/pointwise.h"
#include "estimator/ops/sdpa.h"
#include "estimator/ops/view.h"

namespace forerun::ops {
namespace {

// The operators inside were dispatched below autocast.
class WithoutAutocast {
 public:
  explicit WithoutAutocast(Runtime& run) : run_(run), before_(run.autocast) { run.autocast = {}; }
  ~WithoutAutocast() { run_.autocast = before_; }
  WithoutAutocast(const WithoutAutocast&) = delete;
  WithoutAutocast& operator=(const WithoutAutocast&) = delete;

 private:
  Runtime& run_;
  std::optional<DType> before_;
};

Tensor scaled(Runtime& run, const Tensor& x) { return kMul.run(run, {x}, {}, {})[0]; }

// ones(L, S).tril(), then 0 and -inf in its place.
Tensor causal_mask(Runtime& run, const SdpaCall& call, DType dtype) {
  const Shape square{call.q.shape[2], call.k.shape[2]};
  Tensor triangle;
  {
    const Tensor ones = run.output(square, DType::Bool, "ones");
    triangle = run.output(square, DType::Bool, "lower triangle");
  }
  const Tensor zero = run.output({}, dtype, "0 of the mask");
  const Tensor infinity = run.output({}, dtype, "-inf of the mask");
  return elementwise(run, "where", {&triangle}, dtype, "causal mask");
}

// repeat_interleave along the heads, for enable_gqa.
Tensor of_every_head(Runtime& run, const Tensor& x, std::int64_t heads) {
  const std::int64_t own = x.shape[1];
  if (own == heads) return x;
  const Tensor spread =
      expand(run, unsqueeze(run, x, 2), {x.shape[0], own, heads / own, x.shape[2], x.shape[3]});
  return reshape(run, contiguous(run, spread), {x.shape[0], heads, x.shape[2], x.shape[3]});
}

// attn.add_(mask)
Tensor add_in_place(Runtime& run, const Tensor& scores, const Tensor& mask) {
  Tensor y = scores.detach();
  run.launch("add_", {&scores, &mask, &y});
  run.record_strided("add_", {&y}, {&scores, &mask}, [](Runtime&, Node&, Tensors& grad) -> Tensors {
    return {grad[0], grad[0]};
  });
  return y;
}

// softmax whose rows of nothing but -inf become 0.
Tensor safe_softmax(Runtime& run, const Tensor& scores) {
  Tensor y = run.output_like(scores, "probabilities");
  run.launch("_softmax", {&scores, &y});
  {
    const Tensor masked = run.output(scores.shape, DType::Bool, "-inf among the scores");
    Shape rows = scores.shape;
    rows.back() = 1;
    const Tensor all = run.output(std::move(rows), DType::Bool, "rows of -inf");
    const Tensor zero = run.output({}, scores.dtype, "0 of a masked row");
    run.launch("eq", {&scores, &masked});
    run.launch("where", {&all, &y, &y});
  }
  Node* node = run.record_strided(
      "_safe_softmax", {&y}, {&scores}, [](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        Tensor back = r.output_like(grad[0], "scores gradient");
        const Tensor products = r.output_like(grad[0], "gradient times probabilities");
        r.launch("_softmax_backward_data", {&grad[0], &self.saved[0], &back});
        return {back};
      });
  if (node != nullptr) run.keep(*node, y);
  return y;
}

// The result, and the probabilities in the dtype of the query, which the call gives too.
std::pair<Tensor, Tensor> attend(Runtime& run, const SdpaCall& call) {
  const DType own = call.q.dtype;
  const Tensor q_wide = to_dtype(run, call.q, DType::Float32);
  const Tensor k_wide = to_dtype(run, call.k, DType::Float32);
  const Tensor v_wide = to_dtype(run, call.v, DType::Float32);
  Tensor mask = call.mask;
  const Tensor query = scaled(run, q_wide);
  if (call.causal) mask = causal_mask(run, call, query.dtype);
  const Tensor key = of_every_head(run, k_wide, query.shape[1]);
  const Tensor value = of_every_head(run, v_wide, query.shape[1]);
  Tensor probabilities;
  {
    Tensor scores = matmul(run, query, transpose(run, scaled(run, key), -2, -1));
    if (mask) scores = add_in_place(run, scores, mask);
    probabilities = safe_softmax(run, scores);
  }
  if (call.dropout > 0) probabilities = dropout(run, probabilities, call.dropout);
  Tensor narrow = to_dtype(run, probabilities, own);
  Tensor y = to_dtype(run, matmul(run, probabilities, value), own);
  return {std::move(y), std::move(narrow)};
}

}  // namespace

Tensor sdpa_math(Runtime& run, const SdpaCall& call) {
  const WithoutAutocast off(run);
  return attend(run, call).first;
}

}  // namespace forerun::ops
