#include "estimator/ops/normalization.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "estimator/ops/convolution.h"
#include "estimator/ops/reduction.h"

namespace forerun::ops {
namespace {

// How the channels-last kernels split their rows over blocks (flexible_launch_configs, with
// coop_flag).
struct ChannelsLastGrid {
  std::int64_t across;  // grid.x
  std::int64_t down;    // grid.y; more than one block down meet in a staging buffer
};

ChannelsLastGrid channels_last_grid(std::int64_t rows, std::int64_t channels) {
  constexpr std::int64_t kTile = 32, kMaxBlock = 512, kElementsPerThread = 16, kMaxDown = 128,
                         kWorthIt = 8;
  auto ceil_div = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  auto last_pow2 = [](std::int64_t n) {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
  };
  std::int64_t width = std::min(last_pow2(channels), kTile);
  const std::int64_t height =
      std::min(last_pow2(ceil_div(rows, kElementsPerThread)), kMaxBlock / width);
  if (width * height != kMaxBlock) width = std::min(last_pow2(channels), kMaxBlock / height);
  const std::int64_t down = std::min(ceil_div(rows, height * kElementsPerThread), kMaxDown);
  return {ceil_div(channels, width), down < kWorthIt ? 1 : down};
}

// Staging buffer and semaphores, alive for one kernel. `values` fp32 numbers a channel and block.
void stage(Runtime& run, std::int64_t rows, std::int64_t channels, std::int64_t values) {
  const ChannelsLastGrid grid = channels_last_grid(rows, channels);
  if (grid.down == 1) return;
  auto take = [&](std::int64_t count, DType dtype, std::string_view what) {
    return run.empty({count}, dtype, Category::Temporaries, run.where, what);
  };
  const Tensor staging = take(values * channels * grid.down, DType::Float32, "staging buffer");
  const Tensor semaphores = take(grid.across, DType::Int32, "semaphores");
}

// cuComputeGradGammaBeta: very many rows are added up in blocks first, where a block a column would
// leave most of the device idle. Replaces the gradients by the sums of their blocks.
void sum_blocks(Runtime& run, std::int64_t rows, std::int64_t n, Tensors& gradients) {
  constexpr std::int64_t kManyRows = 65'536, kTile = 32, kMostBlocks = 32'768;
  if (rows <= kManyRows || n / kTile >= run.device.multiprocessors / 2) return;
  const std::int64_t blocks =
      std::min(kMostBlocks / ((n + kTile - 1) / kTile), (rows + kTile - 1) / kTile);
  Tensors partial;
  for (const Tensor& gradient : gradients) {
    partial.push_back(run.output({blocks, n}, gradient.dtype, "gradient of each block of rows"));
  }
  for (Tensor& gradient : gradients) {
    Tensor sum = run.empty({n}, gradient.dtype, Category::Gradients, run.where, "gradient");
    reduce(run, "sum", {blocks, n, Reduction::Over::Outer, gradient.dtype, gradient.dtype});
    gradient = std::move(sum);
  }
}

// The gradients of weight and bias ("weight", "bias"), or of weight alone.
Tensors parameter_gradients(Runtime& run, std::int64_t rows, std::int64_t n, DType dtype,
                            std::initializer_list<std::string_view> names) {
  Tensors made;
  for (const std::string_view name : names) {
    made.push_back(
        run.empty({n}, dtype, Category::Gradients, fmt::format("{} {} gradient", run.where, name)));
  }
  sum_blocks(run, rows, n, made);
  return made;
}

}  // namespace

Tensor layer_norm(Runtime& run, const Tensor& x_in, const Tensor& weight, const Tensor& bias) {
  const Tensor x = run.cast_float(x_in);
  const std::int64_t n = x.shape.back();
  const std::int64_t rows = x.elements() / n;
  Tensor y = run.output_like(x, "output");
  const Tensor mean = run.output({rows}, DType::Float32, "mean");
  const Tensor rstd = run.output({rows}, DType::Float32, "rstd");
  run.launch("native_layer_norm", {&x, &y});
  Node* node =
      run.record("native_layer_norm", y, {&x, &weight, &bias},
                 [rows, n](Runtime& r, Node& self, Tensors& grad) -> Tensors {
                   const Tensor& input = self.saved[0];
                   Tensors back(3);
                   if (self.needs(0)) back[0] = r.output_like(input, "input gradient");
                   Tensors own = parameter_gradients(r, rows, n, input.dtype, {"weight", "bias"});
                   back[1] = std::move(own[0]);
                   back[2] = std::move(own[1]);
                   r.launch("native_layer_norm_backward", {&grad[0], &input, &grad[0]});
                   r.launch("native_layer_norm_backward", {&grad[0], &input});
                   return back;
                 });
  if (node != nullptr) {
    run.keep(*node, x);
    run.keep(*node, mean);
    run.keep(*node, rstd);
  }
  return y;
}

Tensor group_norm(Runtime& run, const Tensor& x_in, const Tensor& weight, const Tensor& bias,
                  std::int64_t groups) {
  const Tensor x = run.cast_float(x_in);
  const Shape per_channel{x.shape[0], x.shape[1]};
  const Shape per_group{x.shape[0], groups};
  const bool planes = x.elements() > x.shape[0] * x.shape[1];
  Tensor y = run.output_like(x, "output");
  const DType statistics = x.dtype == weight.dtype ? x.dtype : DType::Float32;
  const Tensor mean = run.output(per_group, statistics, "mean");
  const Tensor rstd = run.output(per_group, statistics, "rstd");
  if (planes) {
    const Tensor scale = run.output(per_channel, DType::Float32, "scale of each channel");
    const Tensor shift = run.output(per_channel, DType::Float32, "shift of each channel");
  }
  run.launch("native_group_norm", {&x});
  run.launch("native_group_norm", {&x, &y});
  Node* node = run.record(
      "native_group_norm", y, {&x, &weight, &bias},
      [=, own = Tensor{nullptr, weight.shape, weight.dtype, nullptr, false}](
          Runtime& r, Node& self, Tensors& grad) -> Tensors {
        const Tensor& input = self.saved[0];
        Tensors back(3);
        if (self.needs(0)) back[0] = r.output_like(input, "input gradient");
        for (const std::size_t i : {1u, 2u}) {
          back[i] = r.empty(own.shape, own.dtype, Category::Gradients,
                            fmt::format("{} {} gradient", self.where, i == 1 ? "weight" : "bias"));
        }
        Tensors sums;
        const auto sum = [&](const Shape& shape, std::string_view what) {
          sums.push_back(r.output(shape, DType::Float32, what));
        };
        if (planes) {
          sum(per_channel, "sums of gradients times input");
          sum(per_channel, "sums of gradients");
        }
        if (self.needs(0)) {
          sum(per_group, "coefficients of each group");
          sum(per_group, "offsets of each group");
          if (planes) sum(per_channel, "coefficients of each channel");
        }
        r.launch("native_group_norm_backward", {&grad[0], &input});
        r.launch("native_group_norm_backward", {&grad[0], &input, &grad[0]});
        return back;
      });
  if (node == nullptr) return y;
  for (const Tensor& kept : {x, mean, rstd}) run.keep(*node, kept);
  return y;
}

Tensor rms_norm(Runtime& run, const Tensor& x, const Tensor& weight) {
  const std::int64_t n = x.shape.back();
  Tensor y = run.output_like(x, "output");
  const Tensor rstd = run.output({x.elements() / n}, DType::Float32, "rstd");
  run.launch("_fused_rms_norm", {&x, &y});
  Node* node = run.record(
      "_fused_rms_norm", y, {&x, &weight}, [n](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        const Tensor& input = self.saved[0];
        Tensors back(2);
        if (self.needs(0)) back[0] = r.output_like(input, "input gradient");
        back[1] =
            std::move(parameter_gradients(r, input.elements() / n, n, input.dtype, {"weight"})[0]);
        r.launch("_fused_rms_norm_backward", {&grad[0], &input, &grad[0]});
        r.launch("_fused_rms_norm_backward", {&grad[0], &input});
        return back;
      });
  if (node == nullptr) return y;
  run.keep(*node, x);
  run.keep(*node, rstd);
  return y;
}

namespace {

// A gradient of [channels] in the parameter's dtype.
Tensor channel_gradient(Runtime& run, const Node& node, const Tensor& parameter,
                        std::string_view role) {
  return run.empty(parameter.shape, parameter.dtype, Category::Gradients,
                   fmt::format("{} {} gradient", node.where, role));
}

// batch_norm_backward_cuda where strides[1] == 1: sums first, in staged blocks, then the input.
Tensors channels_last_backward(Runtime& run, const Node& node, const Tensor& grad,
                               const Tensor& weight) {
  const Tensor& x = node.saved[0];
  const std::int64_t channels = weight.elements();
  const Tensor sum_dy = run.output({channels}, DType::Float32, "sum of gradients");
  const Tensor sum_dy_xmu =
      run.output({channels}, DType::Float32, "sum of gradients times deviations");
  Tensors back(3);
  back[1] = channel_gradient(run, node, weight, "weight");
  back[2] = channel_gradient(run, node, weight, "bias");
  stage(run, x.elements() / channels, channels, 2);
  if (node.needs(0)) back[0] = run.output_like(x, "input gradient");
  run.launch("batch_norm_backward_reduce", {&grad, &x});
  if (node.needs(0)) run.launch("batch_norm_backward_elemt", {&grad, &x, &back[0]});
  return back;
}

// One kernel makes all three (batch_norm_backward_cuda_template, and cuDNN). cuDNN makes the
// input's gradient whether or not it is wanted.
Tensors fused_backward(Runtime& run, const Node& node, const Tensor& grad, const Tensor& weight,
                       bool always_input) {
  const Tensor& x = node.saved[0];
  Tensors back(3);
  if (always_input || node.needs(0)) back[0] = run.output_like(x, "input gradient");
  back[1] = channel_gradient(run, node, weight, "weight");
  back[2] = channel_gradient(run, node, weight, "bias");
  run.launch("batch_norm_backward", {&grad, &x});
  run.launch("batch_norm_backward", {&grad, &x, &grad});
  return back;
}

}  // namespace

Tensor batch_norm(Runtime& run, const Tensor& x, const Tensor& weight, const Tensor& bias,
                  bool cudnn_enabled) {
  const std::int64_t channels = x.shape[1];
  const bool cudnn = cudnn_enabled && x.shape.size() > 2 && x.dtype != DType::BFloat16 &&
                     weight.dtype != DType::BFloat16;
  const bool channels_last = !cudnn && x.elements() == x.shape[0] * channels;
  if (cudnn)
    run.tape.note(
        "reserve and workspace of cuDNN's batch norm: only cuDNN knows their size on the GPU");
  note_if_large(run, x);
  Tensor y = run.output_like(x, "output");
  const Tensor mean = run.output({channels}, DType::Float32, "mean");
  const Tensor inverse_std = run.output({channels}, DType::Float32, "1/std");
  if (channels_last) stage(run, x.shape[0], channels, 4);
  run.launch("batch_norm_stats", {&x});
  run.launch("batch_norm_update_stats", {&mean, &inverse_std});
  run.launch("batch_norm_elemt", {&x, &y});
  Node* node = run.record(
      cudnn ? "cudnn_batch_norm" : "native_batch_norm", y, {&x, &weight, &bias},
      [cudnn, channels_last, own = Tensor{nullptr, weight.shape, weight.dtype, nullptr, false}](
          Runtime& r, Node& self, Tensors& grad) -> Tensors {
        if (channels_last) return channels_last_backward(r, self, grad[0], own);
        return fused_backward(r, self, grad[0], own, cudnn);
      });
  if (node == nullptr) return y;
  for (const Tensor& kept : {x, mean, inverse_std}) run.keep(*node, kept);
  return y;
}

}  // namespace forerun::ops
