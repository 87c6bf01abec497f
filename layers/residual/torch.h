#pragma once

#include <string>
#include <utility>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::residual {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend frontend) {
  auto inner = run::make_modules(layer.layers, frontend);
  if (!inner) return inner.error();
  auto holder = std::make_shared<torch::nn::Module>("residual");
  for (std::size_t i = 0; i < inner->size(); ++i) {
    if ((*inner)[i].holder) holder->register_module(std::to_string(i), (*inner)[i].holder);
  }
  auto forward = [modules = std::move(*inner)](const at::Tensor& input) {
    at::Tensor x = input;
    for (const run::Module& module : modules) x = module.forward(x);
    return input + x;
  };
  return run::Modules{run::Module{holder, std::move(forward)}};
}

}  // namespace forerun::layers::residual
