#pragma once

#include <ATen/ops/hardswish.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::hardswish {

inline Result<run::Modules> make_module(const LayerSpec&, Framework::Frontend) {
  return run::stateless([](const at::Tensor& input) { return at::hardswish(input); });
}

}  // namespace forerun::layers::hardswish
