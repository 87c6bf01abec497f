// nn.AvgPool2d(kernel, stride=kernel, padding=0) on [batch, channels, height, width].
#include "estimator/graph/spatial.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  return graph::pool2d(builder, spec, input, ops::kAvgPool);
}

}  // namespace

extern const Layer avg_pool2d{build};
}  // namespace forerun::layers
