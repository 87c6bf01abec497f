#pragma once

#include <ATen/ops/silu.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::silu {

inline Result<run::Modules> make_module(const LayerSpec&, Framework::Frontend) {
  return run::stateless([](const at::Tensor& input) { return at::silu(input); });
}

}  // namespace forerun::layers::silu
