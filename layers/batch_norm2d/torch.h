#pragma once

#include <ATen/ops/batch_norm.h>
#include <torch/nn/modules/batchnorm.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::batch_norm2d {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto channels = positive(layer, "channels");
  if (!channels) return channels.error();
  auto module =
      std::make_shared<torch::nn::BatchNorm2dImpl>(torch::nn::BatchNorm2dOptions(*channels));
  return run::with_state(module, [](torch::nn::BatchNorm2dImpl& m, const at::Tensor& input) {
    m.num_batches_tracked.add_(1);
    return at::batch_norm(input, m.weight, m.bias, m.running_mean, m.running_var, /*training=*/true,
                          /*momentum=*/0.1, m.options.eps(),
                          at::globalContext().userEnabledCuDNN());
  });
}

}  // namespace forerun::layers::batch_norm2d
