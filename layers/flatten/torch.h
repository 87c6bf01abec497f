#pragma once

#include <ATen/ops/flatten.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::flatten {

inline Result<run::Modules> make_module(const LayerSpec&, Framework::Frontend) {
  return run::stateless([](const at::Tensor& input) { return at::flatten(input, 1, -1); });
}

}  // namespace forerun::layers::flatten
