#pragma once

#include <ATen/ops/conv_transpose2d.h>
#include <torch/nn/modules/conv.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::conv_transpose2d {

inline Result<run::Modules> make_module(const LayerSpec& layer, Framework::Frontend) {
  const auto in = positive(layer, "in");
  if (!in) return in.error();
  const auto out = positive(layer, "out");
  if (!out) return out.error();
  const auto kernel = sizes(layer, "kernel", 2, 1);
  if (!kernel) return kernel.error();
  const auto stride = sizes(layer, "stride", 2, 1, 1);
  if (!stride) return stride.error();
  const auto padding = sizes(layer, "padding", 2, 0, 0);
  if (!padding) return padding.error();
  const auto output_padding = sizes(layer, "output_padding", 2, 0, 0);
  if (!output_padding) return output_padding.error();
  const auto dilation = sizes(layer, "dilation", 2, 1, 1);
  if (!dilation) return dilation.error();
  const auto groups = positive(layer, "groups", 1);
  if (!groups) return groups.error();
  const auto bias = flag(layer, "bias", true);
  if (!bias) return bias.error();
  auto module = std::make_shared<torch::nn::ConvTranspose2dImpl>(
      torch::nn::ConvTranspose2dOptions(*in, *out, at::IntArrayRef(*kernel))
          .groups(*groups)
          .bias(*bias));
  return run::with_state(
      module,
      [stride = *stride, padding = *padding, output_padding = *output_padding, dilation = *dilation,
       groups = *groups](torch::nn::ConvTranspose2dImpl& m, const at::Tensor& input) {
        return at::conv_transpose2d(input, m.weight, m.bias, stride, padding, output_padding,
                                    groups, dilation);
      });
}

}  // namespace forerun::layers::conv_transpose2d
