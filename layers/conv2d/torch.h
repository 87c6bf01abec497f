#pragma once

#include <ATen/ops/conv2d.h>
#include <torch/nn/modules/conv.h>

#include "verifier/run/torch_catalog.h"

namespace forerun::layers::conv2d {

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
  const auto dilation = sizes(layer, "dilation", 2, 1, 1);
  if (!dilation) return dilation.error();
  const auto groups = positive(layer, "groups", 1);
  if (!groups) return groups.error();
  const auto bias = flag(layer, "bias", true);
  if (!bias) return bias.error();
  // One in, out or groups that do not fit is an error in LibTorch's constructor, with its words.
  auto module = std::make_shared<torch::nn::Conv2dImpl>(
      torch::nn::Conv2dOptions(*in, *out, at::IntArrayRef(*kernel)).groups(*groups).bias(*bias));
  return run::with_state(
      module, [stride = *stride, padding = *padding, dilation = *dilation, groups = *groups](
                  torch::nn::Conv2dImpl& m, const at::Tensor& input) {
        return at::conv2d(input, m.weight, m.bias, stride, padding, dilation, groups);
      });
}

}  // namespace forerun::layers::conv2d
