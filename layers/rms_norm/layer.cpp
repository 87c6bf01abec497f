// nn.RMSNorm(dim): over the last dimension, with weight.
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
  if (builder.mixed_precision()) {
    return error_at(spec.at,
                    "rms_norm outside a transformer_block under autocast is not modelled: for "
                    "low-precision inputs PyTorch decomposes it",
                    "layer_norm, or precision: fp32 or bf16");
  }
  const auto weight = builder.parameter("weight", {*dim});
  if (!weight) return weight.error();
  return builder.call(ops::kRmsNorm, {input}, {*weight}, builder.shape(input));
}

}  // namespace

extern const Layer rms_norm{build};
}  // namespace forerun::layers
