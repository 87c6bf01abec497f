// What convolutions, poolings and batch norms of one to three spatial dimensions share.
#pragma once

#include "estimator/graph/layer_catalog.h"

namespace forerun::graph {

// floor((size + 2 padding - dilation (kernel - 1) - 1) / stride) + 1, as torch.nn's pages give it
// for convolutions and poolings; 0 or less: the window is larger than the padded input.
std::int64_t windows(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                     std::int64_t padding, std::int64_t dilation);

// nn.Conv<dimensions>d. Arguments: in, out, kernel, stride, padding, dilation, groups, bias.
Result<ValueId> convolution(Builder& builder, const LayerSpec& spec, ValueId input,
                            std::size_t dimensions);

// nn.ConvTranspose<dimensions>d. Arguments: those of a convolution, and output_padding.
Result<ValueId> transposed_convolution(Builder& builder, const LayerSpec& spec, ValueId input,
                                       std::size_t dimensions);

// nn.BatchNorm<n>d in training; the caller has checked how many dimensions the input has.
Result<ValueId> batch_norm(Builder& builder, const LayerSpec& spec, ValueId input,
                           std::int64_t channels);

// nn.MaxPool2d and nn.AvgPool2d. Arguments: kernel, stride (the kernel's), padding.
Result<ValueId> pool2d(Builder& builder, const LayerSpec& spec, ValueId input,
                       const ops::Operator& op);

// [batch, channels, ...] with so many spatial dimensions; channels 0: any number.
Status needs_planes(const Builder& builder, const LayerSpec& spec, ValueId input,
                    std::size_t dimensions, std::int64_t channels);

}  // namespace forerun::graph
