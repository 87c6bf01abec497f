// nn.Dropout(p=0.5), in training.
#include <fmt/format.h>

#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {"p"}); !known) return known.error();
  const auto p = number(spec, "p", 0.5);
  if (!p) return p.error();
  if (!(*p >= 0 && *p < 1)) {
    return error_at(spec.at, fmt::format("dropout probability {} is not modelled", *p),
                    "a number from 0 to below 1");
  }
  if (const Status floating = builder.needs_floating(spec, input); !floating)
    return floating.error();
  if (*p == 0) return input;  // at::dropout gives its input back
  return builder.pointwise(ops::kDropout, input, {.p = *p});
}

}  // namespace

extern const Layer dropout{build};
}  // namespace forerun::layers
