#pragma once

#include <ATen/ops/layer_norm.h>
#include <torch/nn/modules/normalization.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::layer_norm {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto dim = positive(layer, "dim");
  if (!dim) return dim.error();
  auto module = std::make_shared<torch::nn::LayerNormImpl>(torch::nn::LayerNormOptions({*dim}));
  return run::with_state(module, [](torch::nn::LayerNormImpl& m, const at::Tensor& input) {
    return at::layer_norm(input, m.options.normalized_shape(), m.weight, m.bias, m.options.eps());
  });
}

}  // namespace forerun::layers::layer_norm
