#pragma once

#include <ATen/ops/gelu.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::gelu {

inline Result<run::Modules> make_module(const LayerSpec&, Framework::Frontend) {
  return run::stateless(
      [](const at::Tensor& input) { return at::gelu(input); });  // approximate="none"
}

}  // namespace forerun::layers::gelu
