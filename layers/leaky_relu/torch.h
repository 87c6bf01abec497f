#pragma once

#include <ATen/ops/leaky_relu.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::leaky_relu {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto negative_slope = number(layer, "negative_slope", 0.01);
  if (!negative_slope) return negative_slope.error();
  return run::stateless([negative_slope = *negative_slope](const at::Tensor& input) {
    return at::leaky_relu(input, negative_slope);
  });
}

}  // namespace forerun::layers::leaky_relu
