// [batch, length, n] to [batch * length, n]; a view.
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {}); !known) return known.error();
  const Shape& shape = builder.shape(input);
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i)
    rows *= shape[i];  // its size was checked when it was made
  const Shape flat{rows, shape.back()};
  if (flat == shape) return input;
  const auto output = builder.call(ops::kView, {input}, {}, flat, {.shape = flat});
  if (output) builder.mark_view(*output);
  return output;
}

}  // namespace

extern const Layer flatten_tokens{build};
}  // namespace forerun::layers
