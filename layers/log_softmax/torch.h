#pragma once

#include <ATen/ops/log_softmax.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::log_softmax {

inline Result<run::Modules> make_module(const LayerSpec&, Framework::Frontend) {
  return run::stateless([](const at::Tensor& input) { return at::log_softmax(input, -1); });
}

}  // namespace forerun::layers::log_softmax
