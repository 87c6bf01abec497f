#pragma once

#include <ATen/ops/tanh.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::tanh {

inline Result<run::Modules> make_module(const LayerSpec&, Framework::Frontend) {
  return run::stateless([](const at::Tensor& input) { return at::tanh(input); });
}

}  // namespace forerun::layers::tanh
