// A pre-norm block: x + drop(proj(attention(qkv(n1(x))))), then x + drop(down(act(up(n2(x))))).
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/nearest.h"
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

using graph::Builder;
using graph::ValueId;

struct Arguments {
  std::int64_t dim = 0, heads = 0, mlp = 0;
  bool causal = true, bias = true;
  std::string kind, norm, act;
  double dropout = 0;
};

Status one_of(const LayerSpec& spec, const std::string& name, const std::string& value,
              const std::vector<std::string>& accepted) {
  for (const std::string& word : accepted) {
    if (word == value) return Done{};
  }
  return error_at(spec.at, fmt::format("transformer_block.{} '{}' is not modelled", name, value),
                  suggest(value, accepted));
}

Result<Arguments> read(const LayerSpec& spec) {
  if (const Status known = only_arguments(
          spec, {"dim", "heads", "mlp", "causal", "kind", "dropout", "norm", "act", "bias"});
      !known)
    return known.error();
  Arguments made;
  for (const auto& [name, into] : {std::pair{"dim", &made.dim}, std::pair{"heads", &made.heads},
                                   std::pair{"mlp", &made.mlp}}) {
    const auto value = positive(spec, name);
    if (!value) return value.error();
    *into = *value;
  }
  for (const auto& [name, into] :
       {std::pair{"causal", &made.causal}, std::pair{"bias", &made.bias}}) {
    const auto value = flag(spec, name, true);
    if (!value) return value.error();
    *into = *value;
  }
  struct Word {
    const char* name;
    const char* fallback;
    std::string* into;
    std::vector<std::string> accepted;
  };
  for (const Word& one : {Word{"kind", "sdpa", &made.kind, {"sdpa", "explicit"}},
                          Word{"norm", "layer_norm", &made.norm, {"layer_norm", "rms_norm"}},
                          Word{"act", "gelu", &made.act, {"gelu", "silu", "relu"}}}) {
    const auto value = word(spec, one.name, one.fallback);
    if (!value) return value.error();
    if (const Status known = one_of(spec, one.name, *value, one.accepted); !known)
      return known.error();
    *one.into = *value;
  }
  const auto dropout = number(spec, "dropout", 0);
  if (!dropout) return dropout.error();
  if (!(*dropout >= 0 && *dropout < 1))
    return error_at(spec.at, fmt::format("dropout probability {} is not modelled", *dropout),
                    "a number from 0 to below 1");
  made.dropout = *dropout;
  return made;
}

Status check(const Builder& builder, const LayerSpec& spec, ValueId input, const Arguments& with) {
  const Shape& shape = builder.shape(input);
  if (const Status floating = builder.needs_floating(spec, input); !floating) return floating;
  if (shape.size() != 3 || shape[2] != with.dim)
    return builder.mismatch(spec, fmt::format("[batch, length, {}]", with.dim), input);
  if (with.dim % with.heads != 0)
    return error_at(spec.at,
                    fmt::format("dim {} is not a multiple of {} heads", with.dim, with.heads));
  return Done{};
}

// The five modules and the two adds, as Python's forward names and forgets their results.
class Block {
 public:
  Block(Builder& builder, const Arguments& with)
      : builder_(builder), with_(with), own_(builder.where()) {}

  Status add_parameters() {
    const std::int64_t d = with_.dim;
    return first_error({norm_parameters("n1", n1_), linear_parameters("qkv", d, 3 * d, qkv_),
                        linear_parameters("proj", d, d, proj_), norm_parameters("n2", n2_),
                        linear_parameters("up", d, with_.mlp, up_),
                        linear_parameters("down", with_.mlp, d, down_)});
  }

  Result<ValueId> run(ValueId x) {
    const auto attended = attention_half(x);
    if (!attended) return attended;
    const auto made = mlp_half(*attended);
    if (made) builder_.drop(*attended);
    builder_.at(own_);
    return made;
  }

 private:
  using Weights = std::vector<int>;

  static Status first_error(std::initializer_list<Status> all) {
    for (const Status& one : all) {
      if (!one) return one;
    }
    return Done{};
  }
  void part(const char* name) { builder_.at(fmt::format("{}.{}", own_, name)); }

  Status add(const char* role, Shape shape, Weights& into) {
    const auto made = builder_.parameter(role, std::move(shape));
    if (!made) return made.error();
    into.push_back(*made);
    return Done{};
  }
  Status norm_parameters(const char* name, Weights& into) {
    part(name);
    const Status weight = add("weight", {with_.dim}, into);
    return weight && with_.norm == "layer_norm" ? add("bias", {with_.dim}, into) : weight;
  }
  Status linear_parameters(const char* name, std::int64_t in, std::int64_t out, Weights& into) {
    part(name);
    const Status weight = add("weight", {out, in}, into);
    if (weight && with_.bias) return add("bias", {out}, into);
    into.push_back(-1);
    return weight;
  }

  Result<ValueId> norm(const char* name, ValueId x, const Weights& own) {
    part(name);
    return builder_.call(with_.norm == "layer_norm" ? ops::kLayerNorm : ops::kRmsNorm, {x}, own,
                         builder_.shape(x));
  }
  Result<ValueId> linear(const char* name, ValueId x, const Weights& own, std::int64_t out) {
    part(name);
    Shape shape = builder_.shape(x);
    shape.back() = out;
    return builder_.call(ops::kLinear, {x}, own, shape);
  }
  // x + drop(branch); the branch's names go when the sum is there, the undropped one when dropout
  // returns.
  Result<ValueId> join(ValueId x, ValueId branch) {
    ValueId dropped = branch;
    if (with_.dropout > 0) {
      part("drop");
      const auto made = builder_.pointwise(ops::kDropout, branch, {.p = with_.dropout});
      if (!made) return made;
      builder_.drop(branch);
      dropped = *made;
    }
    builder_.at(own_);
    const auto sum = builder_.call(ops::kAdd, {x, dropped}, {}, builder_.shape(x));
    if (sum) builder_.drop(dropped);
    return sum;
  }

  Result<ValueId> attention_half(ValueId x) {
    const auto normed = norm("n1", x, n1_);
    if (!normed) return normed;
    const auto packed = linear("qkv", *normed, qkv_, 3 * with_.dim);
    if (!packed) return packed;
    part("attention");
    const bool explicitly = with_.kind == "explicit";
    const auto core = builder_.call_many(
        explicitly ? ops::kExplicitAttention : ops::kAttention, {*packed}, builder_.shape(x),
        {.heads = with_.heads, .causal = with_.causal}, explicitly ? 2 : 0);
    if (!core) return core.error();
    const auto projected = linear("proj", (*core)[0], proj_, with_.dim);
    if (!projected) return projected;
    builder_.drop({*packed, *normed});
    builder_.drop(*core);
    return join(x, *projected);
  }

  Result<ValueId> mlp_half(ValueId x) {
    const auto normed = norm("n2", x, n2_);
    if (!normed) return normed;
    const auto wide = linear("up", *normed, up_, with_.mlp);
    if (!wide) return wide;
    builder_.drop(*normed);
    part(with_.act.c_str());
    const ops::Operator& activation = with_.act == "gelu"   ? ops::kGelu
                                      : with_.act == "silu" ? ops::kSilu
                                                            : ops::kRelu;
    const auto active = builder_.pointwise(activation, *wide);
    if (!active) return active;
    builder_.drop(*wide);
    const auto narrow = linear("down", *active, down_, with_.dim);
    if (!narrow) return narrow;
    builder_.drop(*active);
    return join(x, *narrow);
  }

  Builder& builder_;
  const Arguments& with_;
  const std::string own_;  // "transformer_block 1"
  Weights n1_, qkv_, proj_, n2_, up_, down_;
};

Result<ValueId> build(Builder& builder, const LayerSpec& spec, ValueId input) {
  const auto with = read(spec);
  if (!with) return with.error();
  if (const Status fine = check(builder, spec, input, *with); !fine) return fine.error();
  Block block(builder, *with);
  if (const Status made = block.add_parameters(); !made) return made.error();
  builder.enter_checkpoint();
  const auto output = block.run(input);
  builder.leave_checkpoint();
  return output;
}

}  // namespace

extern const Layer transformer_block{build};
}  // namespace forerun::layers
