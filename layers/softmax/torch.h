#pragma once

#include <ATen/ops/softmax.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::softmax {

inline Result<run::Modules> make_module(const LayerSpec&, Framework::Frontend) {
  return run::stateless([](const at::Tensor& input) { return at::softmax(input, -1); });
}

}  // namespace forerun::layers::softmax
