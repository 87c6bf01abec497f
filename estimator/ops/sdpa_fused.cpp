// The fused kernels: flash attention, the memory-efficient kernels and cuDNN's.
#include <string_view>
#include <utility>

#include "core/units.h"
#include "estimator/ops/reduction.h"
#include "estimator/ops/sdpa.h"
#include "estimator/ops/sdpa_workspace.h"
#include "estimator/ops/strides.h"
#include "estimator/ops/view.h"

namespace forerun::ops {
namespace {

constexpr std::string_view kForward = "scaled_dot_product_attention";
constexpr std::string_view kBackward = "scaled_dot_product_attention_backward";

// What a node keeps, in the order PyTorch lets go of it.
enum Saved { kMask, kKey, kQuery, kValue, kSums, kOutput };

// Two products of 2 rows queries keys head FLOPs forward, five backward; half of it where causal.
void launch_attention(Runtime& run, std::string_view kernel, const Tensor& q, const Tensor& k,
                      bool causal, double products) {
  const double scores = static_cast<double>(q.shape[0] * q.shape[1] * q.shape[2]) *
                        static_cast<double>(k.shape[2]) / (causal ? 2 : 1);
  const double bytes = 2.0 * static_cast<double>(q.bytes() + k.bytes());
  run.tape.launch(kernel, q.dtype, products * 2 * scores * static_cast<double>(q.shape[3]), bytes);
}

// Laid out [batch, length, heads, head]; seen as [batch, heads, length, head].
Tensor by_length(Runtime& run, const Shape& heads_first, DType dtype, std::string_view role) {
  Tensor made =
      run.output({heads_first[0], heads_first[2], heads_first[1], heads_first[3]}, dtype, role);
  Tensor seen = transpose(run, made, 1, 2);
  seen.grad_fn = nullptr;
  return seen;
}

// empty_like: the same order of dimensions.
Tensor lies_alike(Runtime& run, const Tensor& like, std::string_view role) {
  Tensor made = run.output_like(like, role);
  made.strides = preserved_strides(like);
  return made;
}

bool is_by_length(const Tensor& x) {
  const Shape own = strides_of(x);
  const Shape shape{x.shape[0], x.shape[2], x.shape[1], x.shape[3]};
  return normalised(shape, {own[0], own[2], own[1], own[3]}).empty();
}

// x.transpose(1, 2).contiguous(), undefined where x lies so already.
Tensor copied_by_length(Runtime& run, const Tensor& x, std::string_view role) {
  if (is_by_length(x)) return {};
  Tensor copy = by_length(run, x.shape, x.dtype, role);
  run.launch("copy_", {&x, &copy});
  return copy;
}

Shape rows_of(const Tensor& q) { return {q.shape[0], q.shape[1], q.shape[2]}; }

Node* record(Runtime& run, Tensor& y, const SdpaCall& call, Tensors also,
             std::function<Tensors(Runtime&, Node&, Tensors&)> backward) {
  y.is_view = true;
  launch_attention(run, kForward, call.q, call.k, call.causal, 2);
  Node* node = run.record_strided(kForward, {&y}, {&call.q, &call.k, &call.v, &call.mask},
                                  std::move(backward));
  if (node == nullptr) return node;
  for (const Tensor* one : {&call.mask, &call.k, &call.q, &call.v}) run.keep(*node, *one);
  run.keep(*node, also[0]);
  run.keep(*node, y);
  for (std::size_t i = 1; i < also.size(); ++i) run.keep(*node, also[i]);
  return node;
}

// --- flash attention ---

Tensors flash_backward(Runtime& r, Node& self, const Tensor& grad, bool causal) {
  const Tensor &q = self.saved[kQuery], &k = self.saved[kKey], &v = self.saved[kValue];
  const Tensor grad_copy = copied_by_length(r, grad, "output gradient by length");
  const Tensor output_copy = copied_by_length(r, self.saved[kOutput], "output by length");
  Tensors back{lies_alike(r, q, "query gradient"),
               lies_alike(r, k, "key gradient"),
               lies_alike(r, v, "value gradient"),
               {}};
  const std::int64_t batch = q.shape[0], heads = q.shape[1], padded = round_up(q.shape[2], 128);
  const Tensor delta = r.output({batch, heads, padded}, DType::Float32, "delta");
  const Tensor wide = r.output({batch, padded, heads, flash_rounded(q.shape[3])}, DType::Float32,
                               "query gradient in float");
  Tensor keys, values;
  if (heads != k.shape[1]) {
    const Shape all{batch, heads, k.shape[2], k.shape[3]};
    keys = by_length(r, all, q.dtype, "key gradient of each head");
    values = by_length(r, all, q.dtype, "value gradient of each head");
  }
  launch_attention(r, kBackward, q, k, causal, 5);
  return back;
}

Tensor flash(Runtime& run, const SdpaCall& call) {
  const Shape rows = rows_of(call.q);
  Tensor y = lies_alike(run, call.q, "attention output");
  const Tensor sums = run.output(rows, DType::Float32, "log-sum-exp");
  Tensor partial_sums, partial_outputs;
  // With dropout the keys are not divided.
  const FlashWork work{rows[0] * rows[1], rows[2], call.k.shape[2], call.q.shape[3]};
  const std::int64_t splits = call.dropout > 0 ? 1 : flash_splits(work, run.device);
  if (splits > 1) {
    const Shape each{splits, rows[0], rows[1], rows[2]};
    partial_sums = run.output(each, DType::Float32, "log-sum-exp of each split");
    Shape outputs = each;
    outputs.push_back(flash_rounded(call.q.shape[3]));
    partial_outputs = run.output(std::move(outputs), DType::Float32, "output of each split");
  }
  Tensor state = run.output({2}, DType::Int64, "random state");
  const Tensor offset = run.output({1}, DType::Int64, "random offset");
  if (call.dropout > 0) state = run.output({2}, DType::Int64, "random state of the dropout");
  record(run, y, call, {sums, state, offset},
         [causal = call.causal](Runtime& r, Node& self, Tensors& grad) -> Tensors {
           return flash_backward(r, self, grad[0], causal);
         });
  return y;
}

// pad_last_dim: F.pad of the last dimension to a multiple of 8, contiguous.
Tensor padded(Runtime& run, const Tensor& x, std::int64_t size) {
  Tensor y = run.output({x.shape[0], x.shape[1], x.shape[2], size}, x.dtype, "padded heads");
  run.launch("constant_pad_nd", {&x, &y});
  run.record_strided("constant_pad_nd", {&y}, {&x},
                     [own = x.shape](Runtime& r, Node&, Tensors& grad) -> Tensors {
                       Tensor back = r.output(own, grad[0].dtype, "gradient without padding");
                       r.launch("clone", {&grad[0], &back});
                       return {back};
                     });
  return y;
}

}  // namespace

Tensor sdpa_flash(Runtime& run, const SdpaCall& call) {
  const std::int64_t head = call.q.shape[3];
  const std::int64_t size = round_up(head, 8);
  if (size == head) return flash(run, call);
  const Tensor q = padded(run, call.q, size);
  const Tensor k = padded(run, call.k, size);
  const Tensor v = padded(run, call.v, size);
  const Tensor y = flash(run, {q, k, v, call.mask, call.dropout, call.causal, call.trains});
  return slice(run, y, 3, 0, head);
}

namespace {

// --- the memory-efficient kernels ---

// delta = (grad * out).sum(-1) in float, heads first; the 16-bit kernels compute it themselves.
Tensor delta_of(Runtime& r, const Tensor& grad, const Tensor& q) {
  const Shape rows = rows_of(q);
  if (q.dtype != DType::Float32) return r.output(rows, DType::Float32, "delta");
  const Tensor products = by_length(r, grad.shape, DType::Float32, "gradient times output");
  const Tensor sums = r.output(rows, DType::Float32, "delta, positions first");
  reduce(r, "sum", {rows[0] * rows[1] * rows[2], grad.shape[3], Reduction::Over::Inner});
  if (rows[1] == 1 || rows[2] == 1) return sums;
  return r.output(rows, DType::Float32, "delta");
}

// The gradient of the mask has rows of a multiple of 16.
Tensor mask_gradient(Runtime& r, const Tensor& mask) {
  Shape wide = mask.shape;
  wide.back() = round_up(wide.back(), 16);
  Tensor made = r.output(wide, mask.dtype, "mask gradient");
  made.shape = mask.shape;
  made.strides = normalised(mask.shape, contiguous_strides(wide));
  made.is_view = true;
  return made;
}

Tensors efficient_backward(Runtime& r, Node& self, const Tensor& grad, const SdpaWith& with) {
  const Tensor &q = self.saved[kQuery], &k = self.saved[kKey], &v = self.saved[kValue];
  const Tensor grad_copy = copied_by_length(r, grad, "output gradient by length");
  Tensors back{by_length(r, q.shape, q.dtype, "query gradient"),
               by_length(r, k.shape, q.dtype, "key gradient"),
               by_length(r, v.shape, q.dtype, "value gradient"),
               {}};
  if (self.needs(3)) back[3] = mask_gradient(r, self.saved[kMask]);
  const Tensor delta = delta_of(r, grad, q);
  const EfficientWork work{
      q.shape[0] * q.shape[1], q.shape[2], k.shape[2], q.shape[3], v.shape[3], q.dtype,
      with.dropout > 0};
  const Tensor workspace =
      r.output({efficient_workspace_bytes(work, r.device)}, DType::UInt8, "attention workspace");
  launch_attention(r, kBackward, q, k, with.causal, 5);
  return back;
}

}  // namespace

Tensor sdpa_aligned_mask(Runtime& run, const SdpaCall& call) {
  if (!call.mask) return {};
  constexpr std::int64_t kAlignment = 8;
  Tensor mask = call.mask;
  const Shape strides = strides_of(mask);
  bool aligned = true;
  for (std::size_t i = 0; i + 1 < strides.size(); ++i)
    aligned = aligned && strides[i] % kAlignment == 0;
  if (!aligned) {
    const Shape own = mask.shape;
    Shape wide = own;
    wide.back() += kAlignment - own.back() % kAlignment;
    Tensor made = run.output(std::move(wide), mask.dtype, "padded mask");
    run.launch("constant_pad_nd", {&mask, &made});
    run.record_strided("constant_pad_nd", {&made}, {&mask},
                       [own](Runtime& r, Node&, Tensors& grad) -> Tensors {
                         Tensor back = r.output(own, grad[0].dtype, "gradient without padding");
                         r.launch("clone", {&grad[0], &back});
                         return {back};
                       });
    mask = slice(run, made, -1, 0, own.back());
  }
  return expand(run, mask, {call.q.shape[0], call.q.shape[1], call.q.shape[2], call.k.shape[2]});
}

Tensor sdpa_efficient(Runtime& run, const SdpaCall& call) {
  const Shape rows = rows_of(call.q);
  const Shape shape{rows[0], rows[1], rows[2], call.v.shape[3]};
  Tensor y = by_length(run, shape, call.q.dtype, "attention output");
  Tensor sums;
  if (call.trains)
    sums = run.output({rows[0], rows[1], round_up(rows[2], 32)}, DType::Float32, "log-sum-exp");
  if (efficient_accumulates(call.q.dtype, call.q.shape[3], call.v.shape[3]))
    run.output(shape, DType::Float32, "output in float");
  record(run, y, call, {sums},
         [with = SdpaWith{call.dropout, call.causal}](Runtime& r, Node& self, Tensors& grad)
             -> Tensors { return efficient_backward(r, self, grad[0], with); });
  return y;
}

// --- cuDNN (native/cudnn/MHA.cpp; cudnn-frontend's backward graph needs the query gradient and
// delta in float) ---

Tensor sdpa_cudnn(Runtime& run, const SdpaCall& call) {
  const Shape rows = rows_of(call.q);
  const Tensor seed = run.output({1}, DType::Int64, "random seed");
  const Tensor offset = run.output({1}, DType::Int64, "random offset");
  Tensor like = call.q.detach();  // the order of its dimensions
  like.shape.back() = call.v.shape[3];
  Tensor y = run.output(like.shape, like.dtype, "attention output");
  y.strides = iterator_strides(like.shape, {&like});
  Tensor sums;
  if (call.trains) sums = run.output(rows, DType::Float32, "log-sum-exp");
  run.tape.note("cuDNN attention's own workspaces are chosen by the library and taken as zero");
  record(run, y, call, {sums, offset, seed},
         [causal = call.causal](Runtime& r, Node& self, Tensors&) -> Tensors {
           const Tensor &q = self.saved[kQuery], &k = self.saved[kKey], &v = self.saved[kValue];
           Tensors back{lies_alike(r, q, "query gradient"),
                        lies_alike(r, k, "key gradient"),
                        lies_alike(r, v, "value gradient"),
                        {}};
           const std::int64_t heads = q.shape[0] * q.shape[1] * q.shape[2];
           const Tensor workspace =
               r.output({heads * (q.shape[3] + 1)}, DType::Float32, "attention workspace");
           launch_attention(r, kBackward, q, k, causal, 5);
           return back;
         });
  return y;
}

}  // namespace forerun::ops
