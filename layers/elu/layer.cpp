// nn.ELU(alpha=1.0).
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  return builder.activation(spec, ops::kElu, input, {"alpha"});
}

}  // namespace

extern const Layer elu{build};
}  // namespace forerun::layers
