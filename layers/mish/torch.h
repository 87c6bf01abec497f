#pragma once

#include <ATen/ops/mish.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::mish {

inline Result<run::Modules> make_module(const LayerSpec&, Framework::Frontend) {
  return run::stateless([](const at::Tensor& input) { return at::mish(input); });
}

}  // namespace forerun::layers::mish
