#pragma once

#include <ATen/ops/group_norm.h>
#include <torch/nn/modules/normalization.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::group_norm {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto groups = positive(layer, "groups");
  if (!groups) return groups.error();
  const auto channels = positive(layer, "channels");
  if (!channels) return channels.error();
  auto module =
      std::make_shared<torch::nn::GroupNormImpl>(torch::nn::GroupNormOptions(*groups, *channels));
  return run::with_state(module,
                         [groups = *groups](torch::nn::GroupNormImpl& m, const at::Tensor& input) {
                           return at::group_norm(input, groups, m.weight, m.bias, m.options.eps(),
                                                 at::globalContext().userEnabledCuDNN());
                         });
}

}  // namespace forerun::layers::group_norm
