#pragma once

#include <ATen/ops/linear.h>
#include <torch/nn/modules/linear.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::linear {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend frontend) {
  const auto in = positive(layer, "in");
  if (!in) return in.error();
  const auto out = positive(layer, "out");
  if (!out) return out.error();
  const auto bias = flag(layer, "bias", true);
  if (!bias) return bias.error();
  auto module =
      std::make_shared<torch::nn::LinearImpl>(torch::nn::LinearOptions(*in, *out).bias(*bias));
  if (frontend == Framework::Frontend::LibTorch) {
    return run::with_state(
        module, [](torch::nn::LinearImpl& m, const at::Tensor& input) { return m.forward(input); });
  }
  return run::with_state(module, [](torch::nn::LinearImpl& m, const at::Tensor& input) {
    return at::linear(input, m.weight, m.bias);
  });
}

}  // namespace forerun::layers::linear
