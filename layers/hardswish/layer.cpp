// nn.Hardswish().
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  return builder.activation(spec, ops::kHardswish, input);
}

}  // namespace

extern const Layer hardswish{build};
}  // namespace forerun::layers
