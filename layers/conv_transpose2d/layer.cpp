// nn.ConvTranspose2d(in, out, kernel, stride=1, padding=0, output_padding=0, dilation=1, groups=1,
// bias=True) on [batch, in, height, width].
#include "estimator/graph/spatial.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  return graph::transposed_convolution(builder, spec, input, 2);
}

}  // namespace

extern const Layer conv_transpose2d{build};
}  // namespace forerun::layers
