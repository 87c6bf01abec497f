#pragma once

#include <utility>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::repeat {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend frontend) {
  const auto times = positive(layer, "times");
  if (!times) return times.error();
  run::Modules all;
  for (std::int64_t i = 0; i < *times; ++i) {
    auto inner = run::make_modules(layer.layers, frontend);
    if (!inner) return inner.error();
    for (run::Module& module : *inner) all.push_back(std::move(module));
  }
  return all;
}

}  // namespace forerun::layers::repeat
