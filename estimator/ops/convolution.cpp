#include "estimator/ops/convolution.h"

#include "estimator/ops/reduction.h"
#include "estimator/ops/strides.h"
#include "estimator/ops/view.h"

namespace forerun::ops {
namespace {

// Multiplications and additions of one pass over a [groups] convolution.
struct Work {
  double flops = 0;
  DType dtype = DType::Float32;
};

Work work_of(const Tensor& x, const Tensor& weight, const Convolution& what) {
  double kernel = 1;
  for (std::size_t i = 2; i < weight.shape.size(); ++i)
    kernel *= static_cast<double>(weight.shape[i]);
  // Every element of the larger side of a transposed convolution is reached from its input.
  double sites = 1;
  const Shape& side = what.transposed ? x.shape : what.output;
  for (const std::int64_t dim : side) sites *= static_cast<double>(dim);
  return {2 * sites * static_cast<double>(weight.shape[1]) * kernel, x.dtype};
}

void launch(Runtime& run, std::string_view kernel, const Work& work,
            std::initializer_list<const Tensor*> touched) {
  double bytes = 0;
  for (const Tensor* tensor : touched) bytes += static_cast<double>(tensor->bytes());
  run.tape.launch(kernel, work.dtype, work.flops, bytes);
}

// The elements of one channel lie apart and those of one place beside each other, as in a gradient
// that comes through a transpose.
bool channels_lie_last(const Tensor& grad, const Shape& output) {
  return !is_contiguous(grad) && grad.shape == output && strides_of(grad)[1] == 1;
}

// grad.sum over everything but the channels. The shape is the convolution's own: a gradient that
// comes through a view has the view's.
Tensor bias_gradient(Runtime& run, const Tensor& grad, const Shape& output) {
  const DType dtype = grad.dtype;
  std::int64_t inner = 1;
  for (std::size_t i = 2; i < output.size(); ++i) inner *= output[i];
  Tensor made = run.empty({output[1]}, dtype, Category::Gradients, run.where, "bias gradient");
  if (channels_lie_last(grad, output)) {
    reduce(run, "sum",
           {.outer = output[0] * inner,
            .inner = output[1],
            .over = Reduction::Over::Outer,
            .dtype = dtype,
            .output = dtype});
    return made;
  }
  reduce(run, "sum",
         {.outer = output[0],
          .inner = inner,
          .over = Reduction::Over::Ends,
          .dtype = dtype,
          .output = dtype,
          .middle = output[1]});
  return made;
}

}  // namespace

void note_if_large(Runtime& run, const Tensor& x) {
  if (x.elements() < 1ll << 31) return;
  run.tape.note(
      "convolutions and batch norms of 2^31 elements and more as PyTorch splits them: counted as "
      "if "
      "they were not split");
}

Tensor convolution(Runtime& run, const Tensor& x_in, const Tensor& weight_in, const Tensor& bias_in,
                   const Convolution& what) {
  // Arguments are cast last to first, as the compiler that built PyTorch evaluates them.
  const Tensor bias = bias_in ? run.cast_low(bias_in) : bias_in;
  const Tensor weight = run.cast_low(weight_in);
  const Tensor x = run.cast_low(x_in);
  run.tape.note("workspaces of cuDNN's convolutions: only cuDNN knows their size on the GPU");
  if (x.dtype == DType::BFloat16 && run.device.compute_major < 8) {
    // use_cudnn is false there: slow_conv2d makes columns.
    run.tape.note("the columns of bfloat16 convolutions before compute capability 8.0");
  }
  const Work work = work_of(x, weight, what);

  Tensor y{nullptr, what.output, x.dtype, nullptr, false};
  Node* node =
      run.record("convolution", y, {&x, &weight, &bias},
                 [work, output = what.output](Runtime& r, Node& self, Tensors& grad) {
                   const Tensor& input = self.saved[0];
                   const Tensor& kernel = self.saved[1];
                   Tensors back(3);
                   // cuDNN's gradients are made of a contiguous one.
                   Tensor dense = contiguous(r, grad[0]);
                   if (self.needs(0)) {
                     back[0] = r.output_like(input, "input gradient");
                     launch(r, "convolution_backward (input)", work, {&dense, &kernel, &back[0]});
                   }
                   if (self.needs(1)) {
                     back[1] = r.empty(kernel.shape, kernel.dtype, Category::Gradients, self.where,
                                       "weight gradient");
                     launch(r, "convolution_backward (weight)", work, {&dense, &input, &back[1]});
                   }
                   dense = {};
                   if (self.needs(2)) back[2] = bias_gradient(r, grad[0], output);
                   return back;
                 });
  if (node != nullptr) {
    run.keep(*node, x);
    run.keep(*node, weight);
  }
  note_if_large(run, x);
  note_if_large(run, y);
  if (run.recomputed_enough()) return y;
  run.allocate(y, "output");
  launch(run, "convolution", work, {&x, &weight, &y});
  if (bias) run.launch("add_", {&y, &y});
  return y;
}

}  // namespace forerun::ops
