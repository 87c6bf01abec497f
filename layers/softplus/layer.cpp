// nn.Softplus(beta=1.0, threshold=20.0).
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  return builder.activation(spec, ops::kSoftplus, input, {"beta", "threshold"});
}

}  // namespace

extern const Layer softplus{build};
}  // namespace forerun::layers
