#include "estimator/ops/attention.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/units.h"
#include "estimator/ops/blas.h"
#include "estimator/ops/reduction.h"

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

// Forward and backward of a causal attention: two products of 2 b h l l d FLOPs each way, and as
// much again to recompute.
void launch_attention(Runtime& run, std::string_view kernel, const Heads& h, DType dtype,
                      double products) {
  const double scores =
      static_cast<double>(h.batch * h.heads * h.length) * static_cast<double>(h.length) / 2;
  const double bytes = 4.0 * static_cast<double>(h.batch * h.length * h.width * size_bytes(dtype));
  run.tape.launch(kernel, dtype, products * 2 * scores * static_cast<double>(h.head_dim), bytes);
}

// The gradients of q, k, v meet in one tensor again, the gradient of the packed projection
// (SplitBackward's cat).
Tensor pack(Runtime& run, const Heads& h, DType dtype) {
  Tensor packed = run.output(h.packed(), dtype, "q, k, v gradient");
  run.launch("cat", {&packed, &packed});
  return packed;
}

Tensor fp32(Runtime& run, Shape shape, std::string_view what) {
  return run.output(std::move(shape), DType::Float32, what);
}

// --- the memory-efficient kernels (attention.cu, attention_backward.cu) ---

Tensor efficient_forward(Runtime& run, const Heads& h, DType dtype, Tensors& kept) {
  Tensor y = run.output(h.output(), dtype, "attention output");
  kept.push_back(fp32(run, {h.batch, h.heads, round_up(h.length, 32)}, "log-sum-exp"));
  return y;
}

void efficient_backward(Runtime& run, const Heads& h, DType dtype) {
  const Shape rows{h.batch, h.heads, h.length};
  Tensor delta;
  if (dtype == DType::Float32) {
    // delta = (grad * out).sum(-1), then made contiguous; the half kernels compute it themselves.
    const Tensor products = fp32(run, h.output(), "gradient times output");
    const Tensor sums = fp32(run, rows, "delta before its copy");
    reduce(run, "sum", {h.batch * h.heads * h.length, h.head_dim, Reduction::Over::Inner});
    delta = fp32(run, rows, "delta");
  } else {
    delta = fp32(run, rows, "delta");
  }
  const Tensor workspace = run.output({efficient_workspace_bytes(h.batch * h.heads, h.length)},
                                      DType::UInt8, "attention workspace");
}

// --- flash attention (flash_api.cpp) ---

Tensor flash_forward(Runtime& run, const Heads& h, DType dtype, Tensors& kept) {
  Tensor y = run.output(h.output(), dtype, "attention output");
  kept.push_back(fp32(run, {h.batch, h.heads, h.length}, "log-sum-exp"));
  Tensor partial_sums, partial_outputs;
  if (const std::int64_t splits =
          flash_splits({h.batch * h.heads, h.length, h.length, h.head_dim}, run.device);
      splits > 1) {
    partial_sums = fp32(run, {splits, h.batch, h.heads, h.length}, "log-sum-exp of each split");
    partial_outputs = fp32(run, {splits, h.batch, h.heads, h.length, round_up(h.head_dim, 32)},
                           "output of each split");
  }
  kept.push_back(run.output({2}, DType::Int64, "random state"));
  kept.push_back(run.output({1}, DType::Int64, "random offset"));
  return y;
}

void flash_backward(Runtime& run, const Heads& h) {
  const std::int64_t length = round_up(h.length, 128);
  const Tensor delta = fp32(run, {h.batch, h.heads, length}, "delta");
  const Tensor accumulated =
      fp32(run, {h.batch, length, h.heads, round_up(h.head_dim, 32)}, "query gradient in float");
}

// --- cuDNN (MHA.cpp and cudnn-frontend's backward graph, which needs the query gradient and delta
// in float) ---

Tensor cudnn_forward(Runtime& run, const Heads& h, DType dtype, Tensors& kept) {
  const Tensor seed = run.output({1}, DType::Int64, "random seed");
  const Tensor offset = run.output({1}, DType::Int64, "random offset");
  Tensor y = run.output(h.output(), dtype, "attention output");
  kept.push_back(fp32(run, {h.batch, h.heads, h.length}, "log-sum-exp"));
  kept.push_back(seed);
  kept.push_back(offset);
  run.tape.note("cuDNN attention's own workspaces are chosen by the library and taken as zero");
  return y;
}

void cudnn_backward(Runtime& run, const Heads& h) {
  const std::int64_t rows = h.batch * h.heads * h.length;
  const Tensor workspace =
      run.output({rows * (h.head_dim + 1)}, DType::Float32, "attention workspace");
}

}  // namespace

std::int64_t flash_splits(const FlashWork& of, const devices::Device& device) {
  const std::int64_t processors = std::max<std::int64_t>(1, 2 * device.multiprocessors);
  const std::int64_t key_block = of.head_dim <= 64 ? 256 : of.head_dim <= 128 ? 128 : 64;
  const std::int64_t key_blocks = ceil_div(of.keys, key_block);
  const std::int64_t work = of.rows * ceil_div(of.queries, 64);
  if (static_cast<float>(work) >= 0.8f * static_cast<float>(processors)) return 1;
  const std::int64_t most = std::min<std::int64_t>({128, processors, key_blocks});
  auto efficiency = [&](std::int64_t n) {
    const float waves = static_cast<float>(work * n) / static_cast<float>(processors);
    return waves / std::ceil(waves);
  };
  auto eligible = [&](std::int64_t n) {
    return n == 1 || ceil_div(key_blocks, n) != ceil_div(key_blocks, n - 1);
  };
  float best = 0;
  for (std::int64_t n = 1; n <= most; ++n) {
    if (eligible(n)) best = std::max(best, efficiency(n));
  }
  for (std::int64_t n = 1; n <= most; ++n) {
    if (eligible(n) && efficiency(n) >= 0.85f * best) return n;
  }
  return 1;
}

std::int64_t efficient_workspace_bytes(std::int64_t rows, std::int64_t queries) {
  constexpr std::int64_t kTileBytes = 64 * 64 * 4 + 16;
  return rows * ceil_div(queries, 64) * kTileBytes;
}

AttentionKernel attention_kernel(const devices::Device& device, DType dtype) {
  if (dtype == DType::Float32 || device.compute_major < 8) return AttentionKernel::Efficient;
  return device.compute_major == 8 ? AttentionKernel::Flash : AttentionKernel::Cudnn;
}

Tensor attention(Runtime& run, const Tensor& qkv, std::int64_t heads) {
  const Heads h(qkv, heads);
  const AttentionKernel kernel = attention_kernel(run.device, qkv.dtype);
  Tensors kept;
  Tensor y = kernel == AttentionKernel::Efficient ? efficient_forward(run, h, qkv.dtype, kept)
             : kernel == AttentionKernel::Flash   ? flash_forward(run, h, qkv.dtype, kept)
                                                  : cudnn_forward(run, h, qkv.dtype, kept);
  launch_attention(run, "scaled_dot_product_attention", h, qkv.dtype, 2);
  Node* node =
      run.record("scaled_dot_product_attention", y, {&qkv},
                 [h, kernel](Runtime& r, Node& self, Tensors& grad) -> Tensors {
                   const DType dtype = grad[0].dtype;
                   Tensors parts;
                   for (const char* what : {"q gradient", "k gradient", "v gradient"})
                     parts.push_back(r.output(h.output(), dtype, what));
                   if (kernel == AttentionKernel::Efficient) efficient_backward(r, h, dtype);
                   if (kernel == AttentionKernel::Flash) flash_backward(r, h);
                   if (kernel == AttentionKernel::Cudnn) cudnn_backward(r, h);
                   launch_attention(r, "scaled_dot_product_attention_backward", h, dtype, 5);
                   grad.clear();
                   self.saved.clear();
                   return {pack(r, h, dtype)};
                 });
  if (node == nullptr) return y;
  run.keep(*node, qkv);
  run.keep(*node, y);
  for (const Tensor& one : kept) run.keep(*node, one);
  return y;
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
