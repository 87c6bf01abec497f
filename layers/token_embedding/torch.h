#pragma once

#include <ATen/ops/arange.h>
#include <ATen/ops/embedding.h>
#include <torch/nn/modules/embedding.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::token_embedding {

struct TokenEmbeddingImpl : torch::nn::Module {
  TokenEmbeddingImpl(std::int64_t vocab, std::int64_t dim, std::int64_t positions)
      : tok(register_module("tok", torch::nn::Embedding(vocab, dim))),
        pos(register_module("pos", torch::nn::Embedding(positions, dim))) {}

  at::Tensor forward(const at::Tensor& input) {
    const at::Tensor tokens = at::embedding(tok->weight, input);
    at::Tensor range = at::arange(input.size(1), input.options().dtype(at::kLong));
    const at::Tensor places = at::embedding(pos->weight, range);
    range.reset();
    return tokens + places;
  }

  torch::nn::Embedding tok, pos;
};

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto vocab = positive(layer, "vocab");
  if (!vocab) return vocab.error();
  const auto dim = positive(layer, "dim");
  if (!dim) return dim.error();
  const auto positions = positive(layer, "positions");
  if (!positions) return positions.error();
  auto module = std::make_shared<TokenEmbeddingImpl>(*vocab, *dim, *positions);
  return run::with_state(
      module, [](TokenEmbeddingImpl& m, const at::Tensor& input) { return m.forward(input); });
}

}  // namespace forerun::layers::token_embedding
