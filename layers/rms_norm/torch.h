#pragma once

#include <ATen/ops/ones.h>
#include <ATen/ops/rms_norm.h>
#include <torch/nn/module.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::rms_norm {

// nn.RMSNorm, which the C++ frontend lacks.
struct RmsNormImpl : torch::nn::Module {
  explicit RmsNormImpl(std::int64_t dim)
      : dim(dim), weight(register_parameter("weight", at::ones({dim}))) {}

  at::Tensor forward(const at::Tensor& input) { return at::rms_norm(input, {dim}, weight); }

  std::int64_t dim;
  at::Tensor weight;
};

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto dim = positive(layer, "dim");
  if (!dim) return dim.error();
  auto module = std::make_shared<RmsNormImpl>(*dim);
  return run::with_state(module,
                         [](RmsNormImpl& m, const at::Tensor& input) { return m.forward(input); });
}

}  // namespace forerun::layers::rms_norm
