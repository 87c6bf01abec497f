// The same layers several times over, each time with parameters of their own: an nn.Sequential of
// its own where it is nested (the model's own sequence takes them one by one, Builder::model).
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  return builder.repeat(spec, input);
}

}  // namespace

extern const Layer repeat{build};
}  // namespace forerun::layers
