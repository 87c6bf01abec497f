#pragma once

#include <ATen/ops/avg_pool2d.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::avg_pool2d {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto kernel = sizes(layer, "kernel", 2, 1);
  if (!kernel) return kernel.error();
  auto stride = sizes(layer, "stride", 2, 1, 1);
  if (!stride) return stride.error();
  if (!has_argument(layer, "stride")) stride = *kernel;
  const auto padding = sizes(layer, "padding", 2, 0, 0);
  if (!padding) return padding.error();
  return run::stateless(
      [kernel = *kernel, stride = *stride, padding = *padding](const at::Tensor& input) {
        return at::avg_pool2d(input, kernel, stride, padding);
      });
}

}  // namespace forerun::layers::avg_pool2d
