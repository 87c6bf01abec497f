// nn.LayerNorm(dim): over the last dimension, with weight and bias.
#include <fmt/format.h>

#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {"dim"}); !known) return known.error();
  const auto dim = positive(spec, "dim");
  if (!dim) return dim.error();
  if (const Status floating = builder.needs_floating(spec, input); !floating)
    return floating.error();
  if (builder.shape(input).back() != *dim)
    return builder.mismatch(spec, fmt::format("{} features", *dim), input);
  const auto weight = builder.parameter("weight", {*dim});
  if (!weight) return weight.error();
  const auto bias = builder.parameter("bias", {*dim});
  if (!bias) return bias.error();
  return builder.call(ops::kLayerNorm, {input}, {*weight, *bias}, builder.shape(input));
}

}  // namespace

extern const Layer layer_norm{build};
}  // namespace forerun::layers
