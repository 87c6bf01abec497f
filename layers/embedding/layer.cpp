// nn.Embedding(vocab, dim): int64 indices to rows of a table.
#include <fmt/format.h>

#include "estimator/graph/layer_catalog.h"
#include "estimator/ops/embedding.h"

namespace forerun::layers {
namespace {

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {"vocab", "dim"}); !known) return known.error();
  const auto vocab = positive(spec, "vocab");
  if (!vocab) return vocab.error();
  const auto dim = positive(spec, "dim");
  if (!dim) return dim.error();
  if (builder.dtype(input) != DType::Int64) return builder.mismatch(spec, "int64 indices", input);
  Shape shape = builder.shape(input);
  if (*numel(shape) > ops::kMostIndices) {
    return error_at(spec.at, fmt::format("embedding of {} indices is not modelled", *numel(shape)),
                    fmt::format("at most {} indices a batch", ops::kMostIndices));
  }
  const auto weight = builder.parameter("weight", {*vocab, *dim});
  if (!weight) return weight.error();
  shape.push_back(*dim);
  return builder.call(ops::kEmbedding, {input}, {*weight}, shape);
}

}  // namespace

extern const Layer embedding{build};
}  // namespace forerun::layers
