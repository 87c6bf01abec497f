// nn.Tanh().
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  return builder.activation(spec, ops::kTanh, input);
}

}  // namespace

extern const Layer tanh{build};
}  // namespace forerun::layers
