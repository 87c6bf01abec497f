// nn.Linear(in, out, bias=True): y = x w^T + b over the last dimension.
#include <fmt/format.h>

#include "estimator/graph/layer_catalog.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {"in", "out", "bias"}); !known)
    return known.error();
  const auto in = positive(spec, "in");
  if (!in) return in.error();
  const auto out = positive(spec, "out");
  if (!out) return out.error();
  const auto bias = flag(spec, "bias", true);
  if (!bias) return bias.error();
  if (const Status floating = builder.needs_floating(spec, input); !floating)
    return floating.error();
  Shape shape = builder.shape(input);
  if (shape.size() < 2 || shape.back() != *in)
    return builder.mismatch(spec, fmt::format("{} features", *in), input);

  const auto weight = builder.parameter("weight", {*out, *in});
  if (!weight) return weight.error();
  int bias_index = -1;
  if (*bias) {
    const auto made = builder.parameter("bias", {*out});
    if (!made) return made.error();
    bias_index = *made;
  }
  shape.back() = *out;
  const ops::Operator& op = builder.libtorch() ? ops::kLinearOfLibTorch : ops::kLinear;
  const auto output = builder.call(op, {input}, {*weight, bias_index}, shape);
  // addmm works on two dimensions; with more, its result is viewed in the shape of the input.
  if (output && *bias && shape.size() > 2 && !builder.libtorch()) builder.mark_view(*output);
  return output;
}

}  // namespace

extern const Layer linear{build};
}  // namespace forerun::layers
