#pragma once

#include <ATen/ops/selu.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::selu {

inline Result<run::Modules> make_module(const LayerSpec&, Framework::Frontend) {
  return run::stateless([](const at::Tensor& input) { return at::selu(input); });
}

}  // namespace forerun::layers::selu
