// Embedding(vocab, dim) of the tokens plus Embedding(positions, dim) of 0, 1, 2, ...
#include <fmt/format.h>

#include "estimator/graph/layer_catalog.h"
#include "estimator/ops/embedding.h"

namespace forerun::layers {
namespace {

Status check_input(const graph::Builder& builder, const LayerSpec& spec, graph::ValueId input,
                   std::int64_t positions) {
  const Shape& shape = builder.shape(input);
  if (builder.dtype(input) != DType::Int64 || shape.size() != 2)
    return builder.mismatch(spec, "int64 tokens [batch, length]", input);
  if (shape[1] > positions)
    return builder.mismatch(spec, fmt::format("at most {} positions", positions), input);
  if (shape[0] * shape[1] <= ops::kMostIndices) return Done{};
  return error_at(spec.at,
                  fmt::format("an embedding of {} tokens is not modelled", shape[0] * shape[1]),
                  fmt::format("at most {} tokens a batch", ops::kMostIndices));
}

Result<graph::ValueId> build(graph::Builder& builder, const LayerSpec& spec, graph::ValueId input) {
  if (const Status known = only_arguments(spec, {"vocab", "dim", "positions"}); !known)
    return known.error();
  const auto vocab = positive(spec, "vocab");
  if (!vocab) return vocab.error();
  const auto dim = positive(spec, "dim");
  if (!dim) return dim.error();
  const auto positions = positive(spec, "positions");
  if (!positions) return positions.error();
  if (const Status fine = check_input(builder, spec, input, *positions); !fine) return fine.error();
  const auto token_table = builder.parameter("token table", {*vocab, *dim});
  if (!token_table) return token_table.error();
  const auto position_table = builder.parameter("position table", {*positions, *dim});
  if (!position_table) return position_table.error();

  const std::int64_t batch = builder.shape(input)[0];
  const std::int64_t length = builder.shape(input)[1];
  const auto tokens = builder.call(ops::kEmbedding, {input}, {*token_table}, {batch, length, *dim});
  if (!tokens) return tokens;
  const auto range = builder.call(ops::kPositions, {input}, {}, {length});
  if (!range) return range;
  const auto places = builder.call(ops::kEmbedding, {*range}, {*position_table}, {length, *dim});
  if (!places) return places;
  builder.drop(*range);
  const auto sum = builder.call(ops::kAdd, {*tokens, *places}, {}, {batch, length, *dim});
  if (sum) builder.drop({*tokens, *places});
  return sum;
}

}  // namespace

extern const Layer token_embedding{build};
}  // namespace forerun::layers
