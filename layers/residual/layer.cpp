// x + inner(x), inner a sequence of layers.
#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {"layers"}); !known) return known.error();
  if (spec.layers.empty())
    return error_at(spec.at, "residual has no layers", "residual: [a layer, ...]");
  const std::string own = builder.where();
  const auto inner = builder.sequence(spec.layers, input);
  if (!inner) return inner;
  builder.at(own);
  if (builder.shape(*inner) != builder.shape(input)) {
    return error_at(spec.at,
                    "residual: the inner layers give " + to_string(builder.shape(*inner)) +
                        " for " + to_string(builder.shape(input)),
                    "layers whose result has the shape of their input");
  }
  const auto sum = builder.call(ops::kAdd, {input, *inner}, {}, builder.shape(input));
  if (sum && *inner != input) builder.drop(*inner);
  return sum;
}

}  // namespace

extern const Layer residual{build};
}  // namespace forerun::layers
