#pragma once

#include <ATen/ops/sigmoid.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::sigmoid {

inline Result<run::Modules> make_module(const LayerSpec&, Framework::Frontend) {
  return run::stateless([](const at::Tensor& input) { return at::sigmoid(input); });
}

}  // namespace forerun::layers::sigmoid
