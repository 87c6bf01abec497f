// nn.BatchNorm2d(channels) on [batch, channels, height, width], in training.
#include "estimator/graph/spatial.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {"channels"}); !known) return known.error();
  const auto channels = positive(spec, "channels");
  if (!channels) return channels.error();
  if (const Status planes = graph::needs_planes(builder, spec, input, 2, *channels); !planes)
    return planes.error();
  return graph::batch_norm(builder, spec, input, *channels);
}

}  // namespace

extern const Layer batch_norm2d{build};
}  // namespace forerun::layers
