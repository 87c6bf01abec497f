#pragma once

#include <ATen/ops/elu.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::elu {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto alpha = number(layer, "alpha", 1.0);
  if (!alpha) return alpha.error();
  return run::stateless(
      [alpha = *alpha](const at::Tensor& input) { return at::elu(input, alpha); });
}

}  // namespace forerun::layers::elu
