#pragma once

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::flatten_tokens {

inline Result<run::Modules> make_module(const LayerSpec&, Framework::Frontend) {
  return run::stateless([](const at::Tensor& input) {
    return input.reshape({-1, input.size(-1)});
  });
}

}  // namespace forerun::layers::flatten_tokens
