// Products, convolutions, norms, pools, attention and losses.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "estimator/graph/aten.h"
#include "estimator/graph/spatial.h"
#include "estimator/ops/image.h"
#include "estimator/ops/matmul.h"
#include "estimator/ops/operator.h"
#include "estimator/ops/sdpa.h"
#include "estimator/ops/strides.h"

namespace forerun::graph {
namespace {

using Results = std::vector<Name>;

std::size_t rank(const Name& x) { return x.shape().size(); }

bool check(const AtenCall& call, bool fine, const std::string& what) {
  if (!fine) call.refuse(what);
  return fine && !call.builder().failed();
}

std::string shapes(const Name& a, const Name& b) {
  return fmt::format("{} and {} do not multiply", to_string(a.shape()), to_string(b.shape()));
}

// --- products ---

Results linear(const AtenCall& call) {
  Name x = call.tensor("input"), weight = call.tensor("weight");
  Name bias = call.maybe_tensor("bias");
  const bool fine = rank(weight) == 2 && rank(x) >= 2 && x.size(-1) == weight.size(1);
  if (!check(call, fine, shapes(x, weight))) return {};
  return {fn::linear(std::move(x), std::move(weight), std::move(bias))};
}

Results matmul(const AtenCall& call) {
  Name a = call.tensor("self"), b = call.tensor(call.has("mat2") ? "mat2" : "other");
  bool fine = rank(a) >= 2 && rank(b) >= 2 && a.size(-1) == b.size(-2);
  if (fine) {
    const Shape lead_a(a.shape().begin(), a.shape().end() - 2);
    const Shape lead_b(b.shape().begin(), b.shape().end() - 2);
    fine = ops::broadcast(lead_a, lead_b).has_value();
  }
  if (!check(call, fine, shapes(a, b))) return {};
  return {fn::matmul(std::move(a), std::move(b))};
}

Results bmm(const AtenCall& call) {
  Name a = call.tensor("self"), b = call.tensor("mat2");
  const bool fine =
      rank(a) == 3 && rank(b) == 3 && a.size(0) == b.size(0) && a.size(-1) == b.size(-2);
  if (!check(call, fine, shapes(a, b))) return {};
  return {fn::bmm(std::move(a), std::move(b))};
}

Results addmm(const AtenCall& call) {
  Name bias = call.tensor("self"), a = call.tensor("mat1"), b = call.tensor("mat2");
  const bool fine = rank(a) == 2 && rank(b) == 2 && a.size(1) == b.size(0);
  if (!check(call, fine, shapes(a, b))) return {};
  if (!check(call, call.number("alpha", 1) == 1 && call.number("beta", 1) == 1,
             "an alpha or a beta other than 1 is not modelled"))
    return {};
  return {fn::addmm(std::move(bias), std::move(a), std::move(b))};
}

// --- attention ---

bool has_elements(const Name& x) {
  return std::all_of(x.shape().begin(), x.shape().end(), [](auto size) { return size > 0; });
}

// Whether a mask broadcasts to [batch, heads, queries, keys].
bool spreads_over(const Name& mask, const Name& q, const Name& k) {
  const Shape to{q.size(0), q.size(1), q.size(2), k.size(2)};
  const Shape& own = mask.shape();
  if (own.size() < 2 || own.size() > to.size()) return false;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::int64_t wanted = to[to.size() - own.size() + i];
    if (own[i] != 1 && own[i] != wanted) return false;
  }
  return is_floating(mask.dtype()) || mask.dtype() == DType::Bool;
}

Results attention(const AtenCall& call) {
  Name q = call.tensor("query"), k = call.tensor("key"), v = call.tensor("value");
  if (!check(call, rank(q) == 4 && rank(k) == 4 && rank(v) == 4,
             "attention of other than four dimensions is not modelled"))
    return {};
  const bool repeats = call.flag("enable_gqa", false);
  const bool heads_agree = k.size(1) == v.size(1) && k.size(1) > 0 && q.size(1) % k.size(1) == 0 &&
                           (repeats || q.size(1) == k.size(1));
  if (!check(call, heads_agree, "its heads do not agree")) return {};
  const bool fits = q.size(0) == k.size(0) && q.size(0) == v.size(0) && k.size(2) == v.size(2) &&
                    q.size(3) == k.size(3);
  if (!check(call, fits && has_elements(q) && has_elements(k) && has_elements(v), shapes(q, k)))
    return {};
  const bool causal = call.flag("is_causal", false);
  Name mask;
  if (call.has("attn_mask")) {
    mask = call.tensor("attn_mask");
    if (!check(call, mask && !causal && spreads_over(mask, q, k), "its mask does not fit"))
      return {};
  }
  return {
      call.builder().apply_one(ops::kScaledDotProductAttention,
                               names_of(std::move(q), std::move(k), std::move(v), std::move(mask)),
                               {.p = call.number("dropout_p", 0), .causal = causal})};
}

// --- windows ---

// A size for every dimension of space: one number stands for all.
std::optional<Shape> per_dimension(const AtenCall& call, std::string_view name, std::size_t count,
                                   const Shape& fallback, std::int64_t least) {
  Shape given = call.integers(name, fallback);
  if (given.size() == 1) given.resize(count, given[0]);
  const bool fine = given.size() == count && std::all_of(given.begin(), given.end(), [&](auto one) {
                      return one >= least && one < (1ll << 31);
                    });
  if (check(call, fine, fmt::format("'{}' is {}", name, to_string(given)))) return given;
  return std::nullopt;
}

struct Window {
  Shape kernel, stride, padding, dilation;
};

std::optional<Shape> slide(const AtenCall& call, const Name& x, std::int64_t channels,
                           const Window& by) {
  Shape made{x.size(0), channels};
  for (std::size_t i = 0; i < by.kernel.size(); ++i) {
    const std::int64_t size = windows(x.size(static_cast<int>(i + 2)), by.kernel[i], by.stride[i],
                                      by.padding[i], by.dilation[i]);
    if (!check(call, size >= 1, fmt::format("{} is too small", to_string(x.shape()))))
      return std::nullopt;
    made.push_back(size);
  }
  return made;
}

// conv*.padding: "valid", or "same", which pads both sides alike where it can.
std::optional<Shape> padding_of(const AtenCall& call, const Shape& kernel, const Shape& dilation) {
  const std::size_t count = kernel.size();
  if (call.node().target.find(".padding") == std::string::npos)
    return per_dimension(call, "padding", count, {0}, 0);
  Shape made(count, 0);
  if (call.text("padding", "valid") == "valid") return made;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t both = dilation[i] * (kernel[i] - 1);
    if (!check(call, both % 2 == 0, "padding to the same size on one side more is not modelled"))
      return std::nullopt;
    made[i] = both / 2;
  }
  return made;
}

Results convolution(const AtenCall& call) {
  Name x = call.tensor("input"), weight = call.tensor("weight"), bias = call.maybe_tensor("bias");
  const std::int64_t groups = call.integer("groups", 1);
  const bool fine = rank(x) >= 3 && rank(x) == rank(weight) && groups >= 1 &&
                    x.size(1) == weight.size(1) * groups && weight.size(0) % groups == 0;
  if (!check(call, fine,
             fmt::format("{} and a kernel of {} do not fit", to_string(x.shape()),
                         to_string(weight.shape()))))
    return {};
  const std::size_t count = rank(x) - 2;
  Window by{Shape(weight.shape().begin() + 2, weight.shape().end()), {}, {}, {}};
  const auto stride = per_dimension(call, "stride", count, {1}, 1);
  const auto dilation = per_dimension(call, "dilation", count, {1}, 1);
  const auto padding = dilation ? padding_of(call, by.kernel, *dilation) : std::nullopt;
  if (!stride || !padding || !dilation) return {};
  by.stride = *stride, by.padding = *padding, by.dilation = *dilation;
  const auto output = slide(call, x, weight.size(0), by);
  if (!output) return {};
  return {call.builder().apply_one(ops::kConvolutionOf,
                                   names_of(std::move(x), std::move(weight), std::move(bias)),
                                   {.shape = *output, .groups = groups})};
}

Results pool(const AtenCall& call, const ops::Operator& op) {
  Name x = call.tensor("self");
  if (!check(call, rank(x) == 4, "pooling of other than four dimensions is not modelled"))
    return {};
  Window by;
  const auto kernel = per_dimension(call, "kernel_size", 2, {}, 1);
  if (!kernel) return {};
  const auto stride =
      call.integers("stride").empty() ? kernel : per_dimension(call, "stride", 2, *kernel, 1);
  const auto padding = per_dimension(call, "padding", 2, {0}, 0);
  const auto dilation = per_dimension(call, "dilation", 2, {1}, 1);
  if (!stride || !padding || !dilation) return {};
  if (!check(call, !call.flag("ceil_mode", false), "ceil_mode is not modelled")) return {};
  const auto output = slide(call, x, x.size(1), {*kernel, *stride, *padding, *dilation});
  if (!output) return {};
  return {call.builder().apply_one(op, names_of(std::move(x)), {.shape = *output})};
}

Results max_pool(const AtenCall& call) { return pool(call, ops::kMaxPool); }
Results avg_pool(const AtenCall& call) { return pool(call, ops::kAvgPool); }

Results adaptive_avg_pool(const AtenCall& call) {
  Name x = call.tensor("self");
  if (!check(call, rank(x) == 4, "pooling of other than four dimensions is not modelled"))
    return {};
  const auto size = per_dimension(call, "output_size", 2, {}, 1);
  if (!size) return {};
  Shape output{x.size(0), x.size(1), (*size)[0], (*size)[1]};
  return {call.builder().apply_one(ops::kAdaptiveAvgPool, names_of(std::move(x)),
                                   {.shape = std::move(output)})};
}

// --- norms ---

Results batch_norm(const AtenCall& call) {
  Name x = call.tensor("input"), weight = call.maybe_tensor("weight"),
       bias = call.maybe_tensor("bias");
  if (!check(call, call.flag("training", true),
             "a batch norm in evaluation is not modelled: export model.train()"))
    return {};
  if (!check(call, weight && bias && rank(x) >= 2, "a batch norm without weights is not modelled"))
    return {};
  if (!check(call, numel(x.shape()) != x.size(1),
             "a batch norm of a single value a channel: PyTorch stops"))
    return {};
  return {call.builder().apply_one(ops::kBatchNormOf,
                                   names_of(std::move(x), std::move(weight), std::move(bias)),
                                   {.cudnn = call.flag("cudnn_enabled", true)})};
}

Results layer_norm(const AtenCall& call) {
  Name x = call.tensor("input"), weight = call.maybe_tensor("weight"),
       bias = call.maybe_tensor("bias");
  const Shape over = call.integers("normalized_shape");
  if (!check(call, over.size() == 1 && rank(x) >= 1 && x.size(-1) == over[0],
             "a layer norm over more than the last dimension is not modelled"))
    return {};
  if (!check(call, static_cast<bool>(weight), "a layer norm without weights is not modelled"))
    return {};
  return {fn::layer_norm(std::move(x), std::move(weight), std::move(bias))};
}

Results group_norm(const AtenCall& call) {
  Name x = call.tensor("input"), weight = call.maybe_tensor("weight"),
       bias = call.maybe_tensor("bias");
  const std::int64_t groups = call.integer("num_groups", 1);
  if (!check(call, weight && bias && rank(x) >= 2, "a group norm without weights is not modelled"))
    return {};
  if (!check(call, groups >= 1 && x.size(1) % groups == 0, "its channels do not divide")) return {};
  return {call.builder().apply_one(ops::kGroupNormOf,
                                   names_of(std::move(x), std::move(weight), std::move(bias)),
                                   {.groups = groups})};
}

Results embedding(const AtenCall& call) {
  Name weight = call.tensor("weight"), indices = call.tensor("indices");
  if (!check(call, rank(weight) == 2, "a table of other than two dimensions")) return {};
  if (!check(call, !call.flag("scale_grad_by_freq", false) && !call.flag("sparse", false),
             "sparse or scaled gradients are not modelled"))
    return {};
  return {fn::embedding(std::move(indices), std::move(weight))};
}

// --- losses ---

Results cross_entropy(const AtenCall& call) {
  Name logits = call.tensor("self"), target = call.tensor("target");
  if (!check(call, rank(logits) == 2 && rank(target) == 1 && !is_floating(target.dtype()),
             "a cross entropy of other than [rows, classes] and indices is not modelled"))
    return {};
  if (!check(call,
             !call.has("weight") && call.number("label_smoothing", 0) == 0 &&
                 call.integer("reduction", 1) == 1,
             "weights, smoothing and other reductions are not modelled"))
    return {};
  return {fn::cross_entropy(std::move(logits), std::move(target))};
}

Results mse_loss(const AtenCall& call) {
  Name x = call.tensor("self"), target = call.tensor("target");
  if (!check(call, x.shape() == target.shape() && call.integer("reduction", 1) == 1,
             "this form is not modelled"))
    return {};
  return {call.builder().apply_one(ops::kMseLoss, names_of(std::move(x), std::move(target)))};
}

constexpr AtenOperator kOperators[] = {
    {"linear.default", linear},
    {"matmul.default", matmul},
    {"mm.default", matmul},
    {"bmm.default", bmm},
    {"addmm.default", addmm},
    {"scaled_dot_product_attention.default", attention},
    {"conv1d.default", convolution},
    {"conv2d.default", convolution},
    {"conv3d.default", convolution},
    {"conv1d.padding", convolution},
    {"conv2d.padding", convolution},
    {"max_pool2d.default", max_pool},
    {"avg_pool2d.default", avg_pool},
    {"adaptive_avg_pool2d.default", adaptive_avg_pool},
    {"batch_norm.default", batch_norm},
    {"layer_norm.default", layer_norm},
    {"group_norm.default", group_norm},
    {"embedding.default", embedding},
    {"cross_entropy_loss.default", cross_entropy},
    {"mse_loss.default", mse_loss},
};

}  // namespace

std::span<const AtenOperator> aten_layers() { return kOperators; }

}  // namespace forerun::graph
