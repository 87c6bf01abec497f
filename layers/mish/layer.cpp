// nn.Mish().
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  return builder.activation(spec, ops::kMish, input);
}

}  // namespace

extern const Layer mish{build};
}  // namespace forerun::layers
