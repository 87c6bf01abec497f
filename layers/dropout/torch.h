#pragma once

#include <ATen/ops/dropout.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::dropout {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto p = number(layer, "p", 0.5);  // nn.Dropout's default
  if (!p) return p.error();
  const double probability = *p;
  return run::stateless([probability](const at::Tensor& input) {
    return at::dropout(input, probability, /*train=*/true);
  });
}

}  // namespace forerun::layers::dropout
