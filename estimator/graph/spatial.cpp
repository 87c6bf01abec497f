#include "estimator/graph/spatial.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace forerun::graph {
namespace {

struct ConvolutionArguments {
  std::int64_t in = 0, out = 0, groups = 1;
  Shape kernel, stride, padding, dilation;
  bool bias = true;
  Shape output_padding;
};

Result<ConvolutionArguments> read_convolution(const LayerSpec& spec, std::size_t dimensions,
                                              bool transposed) {
  std::vector<std::string> names = {"in",      "out",      "kernel", "stride",
                                    "padding", "dilation", "groups", "bias"};
  if (transposed) names.emplace_back("output_padding");
  if (const Status known = only_arguments(spec, names); !known) return known.error();
  const auto output_padding = sizes(spec, "output_padding", dimensions, 0, 0);
  if (!output_padding) return output_padding.error();
  ConvolutionArguments made;
  const auto in = positive(spec, "in");
  if (!in) return in.error();
  const auto out = positive(spec, "out");
  if (!out) return out.error();
  const auto groups = positive(spec, "groups", 1);
  if (!groups) return groups.error();
  const auto kernel = sizes(spec, "kernel", dimensions, 1);
  if (!kernel) return kernel.error();
  const auto stride = sizes(spec, "stride", dimensions, 1, 1);
  if (!stride) return stride.error();
  const auto padding = sizes(spec, "padding", dimensions, 0, 0);
  if (!padding) return padding.error();
  const auto dilation = sizes(spec, "dilation", dimensions, 1, 1);
  if (!dilation) return dilation.error();
  const auto bias = flag(spec, "bias", true);
  if (!bias) return bias.error();
  for (const std::int64_t channels : {*in, *out}) {
    if (channels % *groups == 0) continue;
    return error_at(
        spec.at,
        fmt::format("{}: {} channels do not divide into {} groups", spec.kind, channels, *groups),
        "groups that divides in and out");
  }
  return ConvolutionArguments{*in,      *out,      *groups, *kernel,        *stride,
                              *padding, *dilation, *bias,   *output_padding};
}

// The shape after a window slid over the spatial dimensions. Errors: a window that does not fit.
Result<Shape> slide(const Builder& builder, const LayerSpec& spec, ValueId input,
                    std::int64_t channels, const Shape& kernel, const Shape& stride,
                    const Shape& padding, const Shape& dilation) {
  const Shape& from = builder.shape(input);
  Shape to{from[0], channels};
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const std::int64_t made = windows(from[i + 2], kernel[i], stride[i], padding[i], dilation[i]);
    if (made < 1) {
      return builder.mismatch(
          spec,
          fmt::format("at least {} elements with the padding for a kernel of {}",
                      dilation[i] * (kernel[i] - 1) + 1, kernel[i]),
          input);
    }
    to.push_back(made);
  }
  return to;
}

// Beyond it sizes no longer fit 64 bits once multiplied, and no GPU holds them anyway.
constexpr std::int64_t kMostWindow = 1ll << 31;

Status check_window(const LayerSpec& spec, const std::vector<Shape>& arguments) {
  for (const Shape& argument : arguments) {
    for (const std::int64_t size : argument) {
      if (size > kMostWindow)
        return error_at(spec.at, fmt::format("{}: a window of {}", spec.kind, size),
                        fmt::format("at most {}", kMostWindow));
    }
  }
  return Done{};
}

}  // namespace

std::int64_t windows(std::int64_t size, std::int64_t kernel, std::int64_t stride,
                     std::int64_t padding, std::int64_t dilation) {
  const std::int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

Status needs_planes(const Builder& builder, const LayerSpec& spec, ValueId input,
                    std::size_t dimensions, std::int64_t channels) {
  if (const Status floating = builder.needs_floating(spec, input); !floating) return floating;
  const Shape& shape = builder.shape(input);
  if (shape.size() == dimensions + 2 && (channels == 0 || shape[1] == channels)) return Done{};
  static constexpr const char* kSpatial[] = {"", "length", "height, width", "depth, height, width"};
  return builder.mismatch(
      spec,
      fmt::format("[batch, {}, {}]", channels == 0 ? "channels" : std::to_string(channels),
                  kSpatial[dimensions]),
      input);
}

Result<ValueId> convolution(Builder& builder, const LayerSpec& spec, ValueId input,
                            std::size_t dimensions) {
  const auto given = read_convolution(spec, dimensions, false);
  if (!given) return given.error();
  if (const Status planes = needs_planes(builder, spec, input, dimensions, given->in); !planes)
    return planes.error();
  const Status sane =
      check_window(spec, {given->kernel, given->stride, given->padding, given->dilation});
  if (!sane) return sane.error();
  const auto output = slide(builder, spec, input, given->out, given->kernel, given->stride,
                            given->padding, given->dilation);
  if (!output) return output.error();

  Shape weight_shape{given->out, given->in / given->groups};
  weight_shape.insert(weight_shape.end(), given->kernel.begin(), given->kernel.end());
  const auto weight = builder.parameter("weight", weight_shape);
  if (!weight) return weight.error();
  int bias_index = -1;
  if (given->bias) {
    const auto made = builder.parameter("bias", {given->out});
    if (!made) return made.error();
    bias_index = *made;
  }
  return builder.call(ops::kConvolution, {input}, {*weight, bias_index}, *output,
                      {.shape = *output, .groups = given->groups});
}

Result<ValueId> transposed_convolution(Builder& builder, const LayerSpec& spec, ValueId input,
                                       std::size_t dimensions) {
  const auto given = read_convolution(spec, dimensions, true);
  if (!given) return given.error();
  if (const Status planes = needs_planes(builder, spec, input, dimensions, given->in); !planes)
    return planes.error();
  const Status sane = check_window(
      spec, {given->kernel, given->stride, given->padding, given->dilation, given->output_padding});
  if (!sane) return sane.error();
  Shape output{builder.shape(input)[0], given->out};
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::int64_t more = given->output_padding[i];
    if (more >= given->stride[i] && more >= given->dilation[i]) {
      return error_at(spec.at, fmt::format("{}: an output_padding of {}", spec.kind, more),
                      "less than the stride or the dilation, as PyTorch asks");
    }
    const std::int64_t made = (builder.shape(input)[i + 2] - 1) * given->stride[i] -
                              2 * given->padding[i] + given->dilation[i] * (given->kernel[i] - 1) +
                              more + 1;
    if (made < 1)
      return builder.mismatch(spec, "an input larger than its padding takes away", input);
    output.push_back(made);
  }
  Shape weight_shape{given->in, given->out / given->groups};
  weight_shape.insert(weight_shape.end(), given->kernel.begin(), given->kernel.end());
  const auto weight = builder.parameter("weight", weight_shape);
  if (!weight) return weight.error();
  int bias_index = -1;
  if (given->bias) {
    const auto made = builder.parameter("bias", {given->out});
    if (!made) return made.error();
    bias_index = *made;
  }
  return builder.call(ops::kConvolution, {input}, {*weight, bias_index}, output,
                      {.shape = output, .groups = given->groups, .transposed = true});
}

Result<ValueId> batch_norm(Builder& builder, const LayerSpec& spec, ValueId input,
                           std::int64_t channels) {
  const Shape shape = builder.shape(input);
  if (numel(shape).value_or(0) == channels) {
    return error_at(spec.at,
                    fmt::format("{} of a single value a channel: PyTorch stops, it needs more than "
                                "one to train",
                                spec.kind),
                    "batch_size: 2 or more");
  }
  std::vector<int> parameters;
  for (const char* role : {"weight", "bias"}) {
    const auto made = builder.parameter(role, {channels});
    if (!made) return made.error();
    parameters.push_back(*made);
  }
  for (const char* role : {"running mean", "running variance"}) {
    const auto made = builder.buffer(role, {channels}, DType::Float32);
    if (!made) return made.error();
  }
  const auto counter = builder.buffer("batch counter", {}, DType::Int64);
  if (!counter) return counter.error();
  return builder.call(ops::kBatchNorm, {input}, parameters, shape);
}

Result<ValueId> pool2d(Builder& builder, const LayerSpec& spec, ValueId input,
                       const ops::Operator& op) {
  if (const Status known = only_arguments(spec, {"kernel", "stride", "padding"}); !known)
    return known.error();
  const auto kernel = sizes(spec, "kernel", 2, 1);
  if (!kernel) return kernel.error();
  const auto given_stride = sizes(spec, "stride", 2, 1, 1);
  if (!given_stride) return given_stride.error();
  const Shape stride = has_argument(spec, "stride") ? *given_stride : *kernel;
  const auto padding = sizes(spec, "padding", 2, 0, 0);
  if (!padding) return padding.error();
  if (const Status planes = needs_planes(builder, spec, input, 2, 0); !planes)
    return planes.error();
  if (const Status sane = check_window(spec, {*kernel, stride, *padding}); !sane)
    return sane.error();
  for (std::size_t i = 0; i < 2; ++i) {
    if (2 * (*padding)[i] <= (*kernel)[i]) continue;
    return error_at(spec.at,
                    fmt::format("{}: a padding of {} for a kernel of {}", spec.kind, (*padding)[i],
                                (*kernel)[i]),
                    "at most half the kernel, as PyTorch asks");
  }
  const std::int64_t channels = builder.shape(input)[1];
  const auto output = slide(builder, spec, input, channels, *kernel, stride, *padding, {1, 1});
  if (!output) return output.error();
  return builder.call(op, {input}, {}, *output, {.shape = *output});
}

}  // namespace forerun::graph
