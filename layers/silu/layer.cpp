// nn.SiLU().
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {}); !known) return known.error();
  if (const Status floating = builder.needs_floating(spec, input); !floating)
    return floating.error();
  return builder.pointwise(ops::kSilu, input);
}

}  // namespace

extern const Layer silu{build};
}  // namespace forerun::layers
