#pragma once

#include <ATen/ops/relu6.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::relu6 {

inline Result<run::Modules> make_module(const LayerSpec&, Framework::Frontend) {
  return run::stateless([](const at::Tensor& input) { return at::relu6(input); });
}

}  // namespace forerun::layers::relu6
