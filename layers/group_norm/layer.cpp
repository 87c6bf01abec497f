// nn.GroupNorm(groups, channels) on [batch, channels, ...].
#include <fmt/format.h>

#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {"groups", "channels"}); !known)
    return known.error();
  const auto groups = positive(spec, "groups");
  if (!groups) return groups.error();
  const auto channels = positive(spec, "channels");
  if (!channels) return channels.error();
  if (*channels % *groups != 0) {
    return error_at(
        spec.at,
        fmt::format("group_norm: {} channels do not divide into {} groups", *channels, *groups),
        "groups that divides channels");
  }
  if (const Status floating = builder.needs_floating(spec, input); !floating)
    return floating.error();
  const Shape& shape = builder.shape(input);
  if (shape.size() < 2 || shape[1] != *channels)
    return builder.mismatch(spec, fmt::format("[batch, {}, ...]", *channels), input);
  if (numel(shape).value_or(0) == shape[0] * shape[1]) {
    return error_at(spec.at, "group_norm of a single value a channel and sample is not modelled",
                    "[batch, channels, ...] with more than one");
  }
  std::vector<int> parameters;
  for (const char* role : {"weight", "bias"}) {
    const auto made = builder.parameter(role, {*channels});
    if (!made) return made.error();
    parameters.push_back(*made);
  }
  return builder.call(ops::kGroupNorm, {input}, parameters, shape, {.groups = *groups});
}

}  // namespace

extern const Layer group_norm{build};
}  // namespace forerun::layers
