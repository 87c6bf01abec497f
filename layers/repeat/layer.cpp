// The same layers several times over, each time with parameters of their own; they join the enclosing sequence one by one.
#include <fmt/format.h>

#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

constexpr std::int64_t kMostTimes = 10'000;

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {"times", "layers"}); !known) return known.error();
  const auto times = positive(spec, "times");
  if (!times) return times.error();
  if (*times > kMostTimes) return error_at(spec.at, fmt::format("repeat.times is {}", *times), fmt::format("at most {}", kMostTimes));
  if (spec.layers.empty()) return error_at(spec.at, "repeat has no layers", "repeat: {times: 4, layers: [a layer, ...]}");
  graph::ValueId current = input;
  for (std::int64_t i = 0; i < *times; ++i) {
    const auto next = builder.sequence(spec.layers, current);
    if (!next) return next;
    if (*next != current && current != input) builder.drop(current);
    current = *next;
  }
  return current;
}

}  // namespace

extern const Layer repeat{build};
}  // namespace forerun::layers
