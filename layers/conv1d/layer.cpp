// nn.Conv1d(in, out, kernel, stride=1, padding=0, dilation=1, groups=1, bias=True) on
// [batch, in, length].
#include "estimator/graph/spatial.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  return graph::convolution(builder, spec, input, 1);
}

}  // namespace

extern const Layer conv1d{build};
}  // namespace forerun::layers
