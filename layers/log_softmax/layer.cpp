// nn.LogSoftmax(dim=-1).
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  return builder.activation(spec, ops::kLogSoftmax, input);
}

}  // namespace

extern const Layer log_softmax{build};
}  // namespace forerun::layers
