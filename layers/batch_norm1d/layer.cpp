// nn.BatchNorm1d(channels) on [batch, channels], in training.
#include <fmt/format.h>

#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {"channels"}); !known) return known.error();
  const auto channels = positive(spec, "channels");
  if (!channels) return channels.error();
  if (const Status floating = builder.needs_floating(spec, input); !floating)
    return floating.error();
  const Shape& shape = builder.shape(input);
  if (shape.size() != 2 || shape[1] != *channels)
    return builder.mismatch(spec, fmt::format("[batch, {}]", *channels), input);
  if (shape[0] == 1) {
    return error_at(spec.at,
                    "batch_norm1d of a single row: PyTorch stops, it needs more than one value a "
                    "channel to train",
                    "batch_size: 2 or more");
  }
  std::vector<int> parameters;
  for (const char* role : {"weight", "bias"}) {
    const auto made = builder.parameter(role, {*channels});
    if (!made) return made.error();
    parameters.push_back(*made);
  }
  for (const char* role : {"running mean", "running variance"}) {
    const auto made = builder.buffer(role, {*channels}, DType::Float32);
    if (!made) return made.error();
  }
  const auto counter = builder.buffer("batch counter", {}, DType::Int64);
  if (!counter) return counter.error();
  return builder.call(ops::kBatchNorm, {input}, parameters, shape);
}

}  // namespace

extern const Layer batch_norm1d{build};
}  // namespace forerun::layers
