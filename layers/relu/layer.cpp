// nn.ReLU(inplace=False).
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {"inplace"}); !known) return known.error();
  const auto inplace = flag(spec, "inplace", false);
  if (!inplace) return inplace.error();
  if (const Status floating = builder.needs_floating(spec, input); !floating)
    return floating.error();
  return builder.pointwise(ops::kRelu, input,
                           {.inplace = *inplace, .on_view = builder.is_view(input)});
}

}  // namespace

extern const Layer relu{build};
}  // namespace forerun::layers
