// nn.ReLU6().
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  return builder.activation(spec, ops::kRelu6, input);
}

}  // namespace

extern const Layer relu6{build};
}  // namespace forerun::layers
