#pragma once

#include <ATen/ops/embedding.h>
#include <torch/nn/modules/embedding.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::embedding {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto vocab = positive(layer, "vocab");
  if (!vocab) return vocab.error();
  const auto dim = positive(layer, "dim");
  if (!dim) return dim.error();
  auto module =
      std::make_shared<torch::nn::EmbeddingImpl>(torch::nn::EmbeddingOptions(*vocab, *dim));
  return run::with_state(module, [](torch::nn::EmbeddingImpl& m, const at::Tensor& input) {
    return at::embedding(m.weight, input);
  });
}

}  // namespace forerun::layers::embedding
