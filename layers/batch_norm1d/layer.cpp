// nn.BatchNorm1d(channels) on [batch, channels], in training.
#include <fmt/format.h>

#include "estimator/graph/spatial.h"

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
  return graph::batch_norm(builder, spec, input, *channels);
}

}  // namespace

extern const Layer batch_norm1d{build};
}  // namespace forerun::layers
