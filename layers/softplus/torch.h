#pragma once

#include <ATen/ops/softplus.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::softplus {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto beta = number(layer, "beta", 1.0);
  if (!beta) return beta.error();
  const auto threshold = number(layer, "threshold", 20.0);
  if (!threshold) return threshold.error();
  return run::stateless([beta = *beta, threshold = *threshold](const at::Tensor& input) {
    return at::softplus(input, beta, threshold);
  });
}

}  // namespace forerun::layers::softplus
