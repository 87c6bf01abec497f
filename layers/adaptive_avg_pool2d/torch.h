#pragma once

#include <ATen/ops/adaptive_avg_pool2d.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::adaptive_avg_pool2d {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto out = sizes(layer, "out", 2, 1);
  if (!out) return out.error();
  return run::stateless(
      [out = *out](const at::Tensor& input) { return at::adaptive_avg_pool2d(input, out); });
}

}  // namespace forerun::layers::adaptive_avg_pool2d
