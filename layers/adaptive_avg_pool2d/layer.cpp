// nn.AdaptiveAvgPool2d(out) on [batch, channels, height, width].
#include "estimator/graph/spatial.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {"out"}); !known) return known.error();
  const auto out = sizes(spec, "out", 2, 1);
  if (!out) return out.error();
  if (const Status planes = graph::needs_planes(builder, spec, input, 2, 0); !planes)
    return planes.error();
  const Shape& shape = builder.shape(input);
  const Shape output{shape[0], shape[1], (*out)[0], (*out)[1]};
  return builder.call(ops::kAdaptiveAvgPool, {input}, {}, output, {.shape = output});
}

}  // namespace

extern const Layer adaptive_avg_pool2d{build};
}  // namespace forerun::layers
