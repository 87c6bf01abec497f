#include "models/shared/experts.h"

#include <utility>

#include "estimator/ops/routing.h"

namespace forerun::models {

namespace fn = graph::fn;

Experts::Experts(Builder& b, std::string name, ExpertSizes sizes)
    : name_(std::move(name)), sizes_(std::move(sizes)) {
  const Builder::Scope scope(b, name_);
  router_ = b.weight("gate weight", {sizes_.experts, sizes_.width});
  gate_up_ = b.weight("gate_up_proj", {sizes_.experts, 2 * sizes_.inner, sizes_.width});
  down_ = b.weight("down_proj", {sizes_.experts, sizes_.width, sizes_.inner});
}

Name Experts::operator()(const Name& x) const {
  if (!x) return {};
  const Builder::Scope scope(x.builder(), name_);
  const Shape shape = x.shape();
  Name rows = fn::reshape(x, {-1, sizes_.width});
  const Routed routed = route(rows);
  Name made = run(rows, routed);
  return fn::reshape(std::move(made), shape);
}

Experts::Routed Experts::route(const Name& given) const {
  Builder& b = given.builder();
  Name rows = fn::reshape(given, {-1, sizes_.width});
  Name logits = fn::linear(rows, router_);
  Name probabilities = fn::softmax(fn::to(logits, DType::Float32), -1);
  auto top = b.apply(ops::kTopK, {probabilities}, {.shape = {sizes_.chosen}});
  if (top.size() != 2) return {};
  Name sums = fn::sum(top[0], {-1}, true);
  Name scores = b.apply_one(ops::kDivInPlace, {top[0], sums});
  return {std::move(scores), std::move(top[1]), std::move(logits)};
}

Name Experts::run(const Name& rows, const Routed& routed) const {
  if (!routed.scores) return {};
  Builder& b = rows.builder();
  const std::int64_t tokens = rows.size(0), pairs = tokens * sizes_.chosen;
  Name weights = fn::reshape(routed.scores, {-1});
  Name ids = fn::reshape(routed.indices, {-1});
  auto sorted = b.apply(ops::kSort, {ids});
  if (sorted.size() != 2) return {};
  // perm // num_top_k
  Name selected = b.apply_one(ops::kIndexRows, {rows, fn::add_number(sorted[1])});
  Name chosen_weights = b.apply_one(ops::kIndexRows, {weights, sorted[1]});
  Name histogram_input = fn::to(sorted[0], DType::Int32);
  auto offsets = b.apply(ops::kOffsets, {histogram_input}, {.shape = {sizes_.experts}});
  if (offsets.size() != 2) return {};
  Name out = b.apply_one(ops::kGroupedMm, {selected, gate_up_, offsets[0]});
  {
    auto halves = fn::chunk(out, 2, -1);
    if (halves.size() != 2) return {};
    out = fn::mul(activation(b, sizes_.act, halves[0]), halves[1]);
  }
  out = b.apply_one(ops::kGroupedMm, {out, down_, offsets[0]});
  Name weighted = fn::mul(out, fn::unsqueeze(chosen_weights, -1));
  Name inverse = fn::zeros(b, {pairs}, DType::Int64);
  fn::copy(inverse, fn::arange(b, pairs));
  weighted = b.apply_one(ops::kIndexRows, {weighted, inverse});
  Name final = fn::sum(fn::reshape(weighted, {tokens, sizes_.chosen, sizes_.width}), {1});
  return fn::to(final, rows.dtype());
}

}  // namespace forerun::models
