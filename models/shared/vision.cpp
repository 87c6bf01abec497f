#include "models/shared/vision.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "estimator/graph/functional.h"
#include "estimator/graph/spatial.h"
#include "estimator/ops/image.h"

namespace forerun::models {

namespace fn = graph::fn;

bool begin_vision(Builder& b, const Spec& spec, const Name& input) {
  const std::string& name = spec.source->name;
  if (spec.framework.frontend == Framework::Frontend::LibTorch)
    b.fail(error_at(spec.framework.at, "torchvision's models are Python's alone",
                    "framework: pytorch-2.11"));
  if (spec.checkpoint)
    b.fail(error_at({spec.path, {}, {}},
                    fmt::format("checkpoint: torchvision's {} has no checkpoints", name),
                    "no checkpoint"));
  const Shape& shape = input.shape();
  if (shape.size() != 4 || shape[1] != 3 || !is_floating(input.dtype()))
    b.fail(error_at(
        spec.input.at,
        fmt::format("torchvision's {} needs images [3, height, width] in floating point", name),
        "input: {shape: [3, 224, 224]}"));
  b.make_in_float();
  return !b.failed();
}

namespace {

// The output of a window that slides over x. Errors: it does not fit.
Shape slide(const Name& x, std::int64_t channels, const Window& by) {
  Shape made{x.size(0), channels};
  for (const int dim : {2, 3}) {
    const std::int64_t size = graph::windows(x.size(dim), by.kernel, by.stride, by.padding, 1);
    if (size < 1)
      x.builder().fail(error(fmt::format("{}: an image of {} x {} is smaller than the kernel of {}",
                                         x.builder().where(), x.size(2), x.size(3), by.kernel),
                             "larger images"));
    made.push_back(size);
  }
  return made;
}

}  // namespace

Conv2d::Conv2d(Builder& b, std::string called, std::int64_t in, std::int64_t out, Window slides)
    : name(std::move(called)), window(slides) {
  const Builder::Scope scope(b, name);
  weight = b.weight("weight", {out, in / slides.groups, slides.kernel, slides.kernel});
  if (slides.bias) bias = b.weight("bias", {out});
}

Name Conv2d::operator()(Name x) const {
  if (!x) return {};
  Builder& b = x.builder();
  const Builder::Scope scope(b, name);
  Shape output = slide(x, weight.size(0), window);
  if (b.failed()) return {};
  std::vector<Name> operands;
  operands.push_back(std::move(x));
  operands.push_back(weight);
  operands.push_back(bias);
  return b.apply_one(ops::kConvolutionOf, std::move(operands),
                     {.shape = std::move(output), .groups = window.groups});
}

BatchNorm2d::BatchNorm2d(Builder& b, std::string called, std::int64_t channels)
    : name(std::move(called)) {
  const Builder::Scope scope(b, name);
  weight = b.weight("weight", {channels});
  bias = b.weight("bias", {channels});
  b.state("running mean", {channels}, DType::Float32);
  b.state("running variance", {channels}, DType::Float32);
  b.state("batch counter", {}, DType::Int64);
}

Name BatchNorm2d::operator()(Name x) const {
  if (!x) return {};
  Builder& b = x.builder();
  const Builder::Scope scope(b, name);
  if (x.size(0) * x.size(2) * x.size(3) == 1) {
    b.fail(
        error(fmt::format("{}: a batch norm of a single value a channel: PyTorch stops, it needs "
                          "more than one to train",
                          b.where()),
              "batch_size: 2 or more"));
    return {};
  }
  std::vector<Name> operands;
  operands.push_back(std::move(x));
  operands.push_back(weight);
  operands.push_back(bias);
  return b.apply_one(ops::kBatchNormOf, std::move(operands));
}

namespace {

Name call(const ops::Operator& op, Name x, ops::Attributes with = {}) {
  if (!x) return {};
  Builder& b = x.builder();
  std::vector<Name> operands;
  operands.push_back(std::move(x));
  return b.apply_one(op, std::move(operands), std::move(with));
}

}  // namespace

Name activate_in_place(Act act, Name x) {
  switch (act) {
    case Act::None: return x;
    case Act::Relu: return call(ops::kReluInPlace, std::move(x));
    case Act::Relu6: return call(ops::kHardtanhInPlace, std::move(x));
    case Act::Silu: return call(ops::kSiluInPlace, std::move(x));
    case Act::Hardswish: return call(ops::kHardswishInPlace, std::move(x));
  }
  return x;
}

ConvNormAct::ConvNormAct(Builder& b, std::string called, std::int64_t in, std::int64_t out,
                         Window slides, Act with)
    : name(std::move(called)), act(with) {
  const Builder::Scope scope(b, name);
  slides.padding = (slides.kernel - 1) / 2;
  conv = {b, "0", in, out, slides};
  norm = {b, "1", out};
}

Name ConvNormAct::operator()(const Name& x) const {
  if (!x) return {};
  const Builder::Scope scope(x.builder(), name);
  Name y = conv(x);
  y = norm(std::move(y));
  const Builder::Scope last(x.builder(), "2");
  return activate_in_place(act, std::move(y));
}

Name add_in_place(Name to, Name what) {
  if (!to || !what) return {};
  Builder& b = to.builder();
  std::vector<Name> operands;
  operands.push_back(std::move(to));
  operands.push_back(std::move(what));
  return b.apply_one(ops::kAddInPlace, std::move(operands));
}

Name max_pool(Name x, Window slides) {
  if (!x || x.builder().failed()) return {};
  Shape output = slide(x, x.size(1), slides);
  return call(ops::kMaxPool, std::move(x), {.shape = std::move(output)});
}

Name adaptive_avg_pool(Name x, std::int64_t size) {
  if (!x) return {};
  Shape output{x.size(0), x.size(1), size, size};
  return call(ops::kAdaptiveAvgPool, std::move(x), {.shape = std::move(output)});
}

Name flatten(Name x) {
  if (!x) return {};
  Shape to{x.size(0), -1};
  return fn::reshape(std::move(x), std::move(to));
}

Name dropout_in_place(Name x, double p) {
  return call(ops::kDropoutInPlace, std::move(x), {.p = p});
}

Name dropout_in_place_of_view(Name x, double p) {
  return call(ops::kDropoutInPlace, std::move(x), {.on_view = true, .p = p});
}

Name stochastic_depth(Name x, double p) {
  if (!x || p == 0) return x;
  Shape rows(x.shape().size(), 1);
  rows[0] = x.size(0);
  Name noise = fn::zeros(x.builder(), std::move(rows), x.dtype());
  return fn::mul(std::move(x), noise);
}

std::int64_t make_divisible(double channels) {
  const auto rounded = static_cast<std::int64_t>(channels + 4) / 8 * 8;
  const std::int64_t made = std::max<std::int64_t>(8, rounded);
  return static_cast<double>(made) < 0.9 * channels ? made + 8 : made;
}

SqueezeExcitation::SqueezeExcitation(Builder& b, std::string called, std::int64_t channels,
                                     std::int64_t squeezed)
    : name(std::move(called)) {
  const Builder::Scope scope(b, name);
  fc1 = {b, "fc1", channels, squeezed, {.bias = true}};
  fc2 = {b, "fc2", squeezed, channels, {.bias = true}};
}

Name SqueezeExcitation::operator()(const Name& x, Name (*activation)(Name),
                                   Name (*scale_activation)(Name)) const {
  if (!x) return {};
  const Builder::Scope scope(x.builder(), name);
  Name scale = adaptive_avg_pool(x, 1);
  scale = fc1(std::move(scale));
  scale = activation(std::move(scale));
  scale = fc2(std::move(scale));
  scale = scale_activation(std::move(scale));
  return fn::mul(scale, x);
}

}  // namespace forerun::models
