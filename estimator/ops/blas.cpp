#include "estimator/ops/blas.h"

#include <utility>

#include <fmt/format.h>

#include "estimator/ops/reduction.h"

namespace forerun::ops {
namespace {

std::string_view thread_name(Runtime::Thread thread) {
  return thread == Runtime::Thread::Main ? "main thread" : "backward thread";
}

// addmm_out_cuda_impl takes cublasLt's fused bias for a vector bias and a second matrix, the
// transposed weight, with more than one row and column; how many rows the first has does not
// matter.
bool fuses_bias(std::int64_t columns, std::int64_t depth) { return columns > 1 && depth > 1; }

std::int64_t rows_of(const Tensor& x) { return x.elements() / x.shape.back(); }

}  // namespace

// The handle's workspace is taken when the first product of a thread asks for it, after that
// product's result was allocated, and is kept for the life of the process.
void use_cublas(Runtime& run) {
  Tensor& workspace = run.blas().cublas;
  if (workspace) return;
  workspace = run.empty({cublas_workspace_bytes(run.device)}, DType::UInt8, Category::Workspaces,
                        fmt::format("cublas workspace ({})", thread_name(run.thread)));
}

void use_cublaslt(Runtime& run) {
  use_cublas(run);  // the cublasLt handle is the cuBLAS one
  Tensor& workspace = run.blas().cublaslt;
  if (workspace) return;
  workspace = run.empty({kCublasLtWorkspaceBytes}, DType::UInt8, Category::Workspaces,
                        fmt::format("cublaslt workspace ({})", thread_name(run.thread)));
}

std::int64_t cublas_workspace_bytes(const devices::Device& device) {
  const bool hopper = device.compute_major == 9 && device.compute_minor == 0;
  return hopper ? 4096ll * 8 * 1024 : 4096ll * 1024 * 2 + 16ll * 1024 * 8;
}

namespace {

// addmm or mm of tensors that are cast already; the bias undefined for mm.
Tensor product(Runtime& run, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const std::int64_t m = rows_of(x);
  const std::int64_t k = x.shape.back();
  const std::int64_t n = weight.shape[0];

  Tensor y{nullptr, x.shape, x.dtype, nullptr, false};
  y.shape.back() = n;
  const bool has_bias = static_cast<bool>(bias);
  Node* node = run.record(
      has_bias ? "addmm" : "mm", y, {&x, &weight, &bias},
      [m, n, k, has_bias, input_shape = x.shape](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        const DType dtype = grad[0].dtype;
        Tensors back(3);
        auto gradient = [&](Shape to, std::int64_t rows, std::int64_t columns, std::int64_t depth,
                            Category category, std::string_view what) {
          r.tape.refine(fmt::format("backward of {}: {} mm([{}, {}] x [{}, {}])", self.where, what,
                                    rows, depth, depth, columns));
          Tensor made = r.empty(std::move(to), dtype, category, self.where, what);
          use_cublas(r);
          r.launch_matmul("mm", rows, columns, depth, dtype);
          return made;
        };
        // Generated backward code takes its inputs by name: mat1 before mat2 for addmm, but mat2
        // before self for mm.
        const auto of_input = [&] {
          back[0] = gradient(input_shape, m, k, n, Category::Temporaries, "input gradient");
        };
        if (has_bias && self.needs(0)) of_input();
        if (self.needs(1))
          back[1] = gradient({n, k}, n, k, m, Category::Gradients, "weight gradient");
        if (!has_bias && self.needs(0)) of_input();
        if (has_bias && self.needs(2)) {
          // What a checkpoint made again lives only until the node's own code is done, which is
          // now.
          if (self.frame) self.saved.clear();
          // The engine sums the gradient down to the bias's shape (validate_outputs) while
          // everything above is alive.
          r.tape.refine(
              fmt::format("backward of {}: bias gradient sum([{}, {}])", self.where, m, n));
          back[2] = r.empty({n}, dtype, Category::Gradients, self.where, "bias gradient");
          reduce(r, "sum", {m, n, Reduction::Over::Outer, dtype, dtype});
        }
        return back;
      });
  // mat1 is kept for the weight's gradient, mat2 for the input's; both before the product runs.
  if (node != nullptr && node->needs(1)) run.keep(*node, x);
  if (node != nullptr && node->needs(0)) run.keep(*node, weight);
  if (run.recomputed_enough()) return y;
  run.allocate(y, "output");
  if (bias && fuses_bias(n, k))
    use_cublaslt(run);
  else
    use_cublas(run);
  run.launch_matmul(bias ? "addmm" : "mm", m, n, k, x.dtype);
  return y;
}

}  // namespace

Tensor linear(Runtime& run, const Tensor& x_in, const Tensor& weight_in, const Tensor& bias_in) {
  // Arguments are cast last to first, as the compiler that built PyTorch evaluates them.
  const Tensor bias = bias_in ? run.cast_low(bias_in) : bias_in;
  const Tensor weight = run.cast_low(weight_in);
  const Tensor x = run.cast_low(x_in);
  return product(run, x, weight, bias);
}

Tensor linear_of_libtorch(Runtime& run, const Tensor& x_in, const Tensor& weight_in,
                          const Tensor& bias_in) {
  // weight.t() is no leaf: autocast casts it anew each time.
  const bool low = run.autocast && weight_in.dtype != *run.autocast;
  const Tensor weight = low ? to_copy(run, weight_in, *run.autocast, "weight cast") : weight_in;
  const Tensor x = run.cast_low(x_in);
  if (!bias_in) return product(run, x, weight, bias_in);
  if (x.shape.size() == 2) return product(run, x, weight, run.cast_low(bias_in));
  const Tensor unbiased = product(run, x, weight, {});
  Tensor y = unbiased;  // written in place
  run.launch("add_", {&y, &bias_in, &y});
  const std::int64_t n = bias_in.elements();
  run.record(
      "add_", y, {&unbiased, &bias_in},
      [n, m = rows_of(y), to = bias_in.dtype](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        const DType dtype = grad[0].dtype;
        Tensor sum = r.empty({n}, dtype, Category::Gradients, self.where, "bias gradient");
        reduce(r, "sum", {m, n, Reduction::Over::Outer, dtype, dtype});
        if (dtype == to) return {grad[0], sum};
        Tensor cast = r.empty({n}, to, Category::Gradients, self.where, "bias gradient");
        return {grad[0], cast};
      });
  return y;
}

}  // namespace forerun::ops
