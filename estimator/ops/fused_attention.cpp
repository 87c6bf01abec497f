#include "estimator/ops/fused_attention.h"

#include <utility>

#include <fmt/format.h>

#include "core/units.h"
#include "estimator/ops/attention.h"
#include "estimator/ops/reduction.h"
#include "estimator/ops/strides.h"
#include "estimator/ops/view.h"

namespace forerun::ops {
namespace {

// Laid out [batch, length, heads, head].
Tensor by_length(Runtime& run, const Tensor& like, DType dtype, std::string_view role) {
  Tensor made =
      run.output({like.shape[0], like.shape[2], like.shape[1], like.shape[3]}, dtype, role);
  return transpose(run, made, 1, 2);
}

// empty_like of the tensor seen as [batch, length, heads, head].
Tensor lies_alike(Runtime& run, const Tensor& like, std::string_view role) {
  Tensor made = run.output_like(like, role);
  made.strides = preserved_strides(like);
  return made;
}

Tensors backward(Runtime& r, Node& self, Tensors& grad) {
  const Tensor& q = self.saved[0];
  const Tensor& k = self.saved[1];
  const bool flash = q.dtype != DType::Float32;
  const std::int64_t heads = q.shape[1], kv_heads = k.shape[1], length = q.shape[2];
  const std::int64_t head = q.shape[3];
  Tensors back;
  for (int i = 0; i < 3; ++i) {
    static constexpr std::string_view kRoles[] = {"query gradient", "key gradient",
                                                  "value gradient"};
    const Tensor& like = self.saved[static_cast<std::size_t>(i)];
    back.push_back(flash ? lies_alike(r, like, kRoles[i]) : by_length(r, like, q.dtype, kRoles[i]));
  }
  if (flash) {
    const std::int64_t padded = round_up(length, 128);
    const Tensor delta = r.output({q.shape[0], heads, padded}, DType::Float32, "delta");
    const Tensor wide = r.output({q.shape[0], padded, heads, round_up(head, 32)}, DType::Float32,
                                 "query gradient in float");
    Tensor keys, values;
    if (heads != kv_heads) {
      keys = by_length(r, q, q.dtype, "key gradient of each head");
      values = by_length(r, q, q.dtype, "value gradient of each head");
    }
    return back;
  }
  const Shape rows{q.shape[0], heads, length};
  Tensor delta;
  {
    const Tensor products = by_length(r, q, DType::Float32, "gradient times output");
    const Tensor sums = r.output(rows, DType::Float32, "delta before its copy");
    reduce(r, "sum", {q.shape[0] * heads * length, head, Reduction::Over::Inner});
    delta = r.output(rows, DType::Float32, "delta");
  }
  const Tensor workspace = r.output({efficient_workspace_bytes(q.shape[0] * heads, length)},
                                    DType::UInt8, "attention workspace");
  grad.clear();
  return back;
}

Tensors forward(Runtime& run, const Tensors& in, const Tensors&, const Attributes& with) {
  const Tensor v = run.cast_low(in[2]);
  const Tensor k = run.cast_low(in[1]);
  const Tensor q = run.cast_low(in[0]);
  const bool flash = q.dtype != DType::Float32;
  Tensor y = flash ? lies_alike(run, q, "attention output")
                   : by_length(run, q, q.dtype, "attention output");
  y.is_view = true;
  const std::int64_t length = flash ? q.shape[2] : round_up(q.shape[2], 32);
  const Tensor sums = run.output({q.shape[0], q.shape[1], length}, DType::Float32, "log-sum-exp");
  Tensor state, offset, partial_sums, partial_outputs;
  if (flash) {
    // With dropout the keys are not divided.
    const FlashWork work{q.shape[0] * q.shape[1], q.shape[2], k.shape[2], q.shape[3]};
    const std::int64_t splits = with.p > 0 ? 1 : flash_splits(work, run.device);
    if (splits > 1) {
      partial_sums = run.output({splits, q.shape[0], q.shape[1], q.shape[2]}, DType::Float32,
                                "log-sum-exp of each split");
      partial_outputs =
          run.output({splits, q.shape[0], q.shape[1], q.shape[2], round_up(q.shape[3], 32)},
                     DType::Float32, "output of each split");
    }
    state = run.output({2}, DType::Int64, "random state");
    offset = run.output({1}, DType::Int64, "random offset");
    if (with.p > 0) state = run.output({2}, DType::Int64, "random state of the dropout");
  }
  Node* node = run.record_strided("scaled_dot_product_attention", {&y}, {&q, &k, &v}, backward);
  if (node == nullptr) return {y};
  for (const Tensor* one : {&q, &k, &v}) run.keep(*node, *one);
  run.keep(*node, y);
  for (const Tensor& one : {sums, state, offset}) run.keep(*node, one);
  return {y};
}

// Flash attention's own limits (sdp_utils.cpp, 2.11): others pad the head, or fall to another
// kernel.
std::optional<std::string> flash_gap(const devices::Device& device, const Shape& q) {
  constexpr std::int64_t kMostFlashHead = 256;
  if (device.compute_major < 8)
    return fmt::format("in 16 bits on {}, whose compute capability {}.{} has no flash attention",
                       device.name, device.compute_major, device.compute_minor);
  if (q[3] % 8 != 0) return fmt::format("of heads of {} in 16 bits, no multiple of 8", q[3]);
  if (q[3] > kMostFlashHead)
    return fmt::format("of heads of {} in 16 bits, over {}", q[3], kMostFlashHead);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> fused_attention_gap(const devices::Device& device, DType dtype,
                                               const Shape& q, const Shape& k, const Shape& v) {
  if (k != v || q[0] != k[0] || q[2] != k[2] || q[3] != k[3])
    return "of queries and keys of different sizes";
  if (dtype != DType::Float32) return flash_gap(device, q);
  if (q[1] != k[1])
    return fmt::format("of {} heads over {} of keys and values in float32", q[1], k[1]);
  if (q[3] % 4 != 0) return fmt::format("of heads of {} in float32, no multiple of 4", q[3]);
  return std::nullopt;
}

const Operator kFusedAttention{"scaled_dot_product_attention", forward};

}  // namespace forerun::ops
