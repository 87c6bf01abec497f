#include "estimator/ops/sdpa.h"

#include "models/shared/masked.h"
#include "models/shared/modules.h"

namespace forerun::models {

namespace fn = graph::fn;

Name sdpa(Builder& b, Name q, Name k, Name v, Attention with) {
  if (b.failed() || !q || !k || !v) return {};
  Name out = b.apply_one(ops::kScaledDotProductAttention, {q, k, v},
                         {.p = with.dropout, .causal = with.causal});
  return fn::contiguous(fn::transpose(std::move(out), 1, 2));
}

Name masked_sdpa(Builder& b, Name q, Name k, Name v, double dropout, const Name& mask) {
  if (b.failed() || !q || !k || !v) return {};
  Name out = b.apply_one(ops::kScaledDotProductAttention, {q, k, v, mask},
                         {.p = dropout, .causal = false});
  return fn::contiguous(fn::transpose(std::move(out), 1, 2));
}

Name merge_heads(Name x) { return fn::contiguous(fn::reshape(x, {x.size(0), x.size(1), -1})); }

}  // namespace forerun::models
