// nn.LeakyReLU(negative_slope=0.01).
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  return builder.activation(spec, ops::kLeakyRelu, input, {"negative_slope"});
}

}  // namespace

extern const Layer leaky_relu{build};
}  // namespace forerun::layers
