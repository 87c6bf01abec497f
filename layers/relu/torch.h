#pragma once

#include <ATen/ops/relu.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::relu {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto inplace = flag(layer, "inplace", false);
  if (!inplace) return inplace.error();
  if (*inplace) {
    return run::stateless([](const at::Tensor& input) {
      at::Tensor same = input;
      return at::relu_(same);
    });
  }
  return run::stateless([](const at::Tensor& input) { return at::relu(input); });
}

}  // namespace forerun::layers::relu
