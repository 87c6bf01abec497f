// nn.Flatten(): everything after the batch dimension becomes one; a view, without memory of its
// own.
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {}); !known) return known.error();
  const Shape& shape = builder.shape(input);
  if (shape.size() == 2) return input;
  std::int64_t features = 1;
  for (std::size_t i = 1; i < shape.size(); ++i)
    features *= shape[i];  // its size was checked when it was made
  const Shape flat{shape[0], features};
  const auto output = builder.call(ops::kView, {input}, {}, flat, {.shape = flat});
  if (output) builder.mark_view(*output);
  return output;
}

}  // namespace

extern const Layer flatten{build};
}  // namespace forerun::layers
