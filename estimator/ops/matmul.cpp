#include "estimator/ops/matmul.h"

#include <algorithm>
#include <utility>

#include "estimator/ops/blas.h"
#include "estimator/ops/define_operator.h"
#include "estimator/ops/pointwise.h"
#include "estimator/ops/strides.h"
#include "estimator/ops/view.h"

namespace forerun::ops {
namespace {

// Whether cuBLAS takes the matrices of the last two dimensions as they are: one stride is 1 and the
// other no smaller than a row (prepare_matrix_for_cublas, prepare_batch_matrix_for_cublas).
bool takes_as_is(const Tensor& x) {
  const Shape strides = strides_of(x);
  const std::size_t rows = x.shape.size() - 2;
  const std::size_t columns = rows + 1;
  const bool by_rows =
      strides[columns] == 1 && strides[rows] >= std::max<std::int64_t>(1, x.shape[columns]);
  const bool by_columns =
      strides[rows] == 1 && strides[columns] >= std::max<std::int64_t>(1, x.shape[rows]);
  return by_rows || by_columns;
}

Tensor fit_for_cublas(Runtime& run, const Tensor& x) {
  if (takes_as_is(x)) return x.detach();
  Tensor copy = run.output_like(x, "copy for cuBLAS");
  run.launch("copy_", {&x, &copy});
  return copy;
}

Tensor transposed(Runtime& run, const Tensor& x) { return transpose(run, x, -2, -1); }

// A product without its place in the graph. The result lies as `column_major` says.
Tensor product(Runtime& run, std::string_view kernel, const Tensor& a, const Tensor& b,
               bool column_major, Category category, std::string_view role) {
  const std::size_t at = a.shape.size() - 2;
  Shape shape = a.shape;
  shape[at + 1] = b.shape[at + 1];
  Tensor y = run.empty(shape, a.dtype, category, run.where, role);
  if (column_major) {
    Shape strides = contiguous_strides(shape);
    strides[at] = 1;
    strides[at + 1] = shape[at];
    y.strides = normalised(shape, std::move(strides));
  }
  const Tensor first = fit_for_cublas(run, a);
  const Tensor second = fit_for_cublas(run, b);
  use_cublas(run);
  std::int64_t batch = 1;
  for (std::size_t i = 0; i < at; ++i) batch *= shape[i];
  run.launch_matmul(kernel, batch * shape[at], shape[at + 1], a.shape[at + 1], a.dtype);
  return y;
}

Category category_now(const Runtime& run) {
  const bool forward = run.tape.phase() == Phase::Forward || run.recomputing;
  return forward ? Category::Activations : Category::Temporaries;
}

// mm_mat1_grad and mm_mat2_grad: a gradient lies as its matrix does.
bool lies_by_columns(const Tensor& like) {
  const Shape strides = strides_of(like);
  return strides.size() == 2 && strides[0] == 1 && strides[1] == like.shape[0];
}

struct Layout {
  Shape shape, strides;
  bool of_parameter = false;
};

Tensor of_layout(const Layout& layout, DType dtype) {
  return {nullptr, layout.shape, dtype, nullptr, false, layout.strides};
}

Tensor gradient_of_mat1(Runtime& r, const Tensor& grad, const Tensor& mat2, const Layout& mat1) {
  const Category category = mat1.of_parameter ? Category::Gradients : Category::Temporaries;
  return product(r, "mm", grad, transposed(r, mat2.detach()),
                 lies_by_columns(of_layout(mat1, grad.dtype)), category, "gradient of the first");
}

Tensor gradient_of_mat2(Runtime& r, const Tensor& grad, const Tensor& mat1, const Layout& mat2) {
  const Category category = mat2.of_parameter ? Category::Gradients : Category::Temporaries;
  return product(r, "mm", transposed(r, mat1.detach()), grad,
                 lies_by_columns(of_layout(mat2, grad.dtype)), category, "gradient of the second");
}

Layout layout_of(const Tensor& x) { return {x.shape, x.strides, x.is_leaf}; }

}  // namespace

Tensor addmm(Runtime& run, const Tensor& bias_in, const Tensor& a_in, const Tensor& b_in) {
  // Arguments are cast last to first, as the compiler that built PyTorch evaluates them.
  const Tensor b = run.cast_low(b_in);
  const Tensor a = run.cast_low(a_in);
  const Tensor bias = bias_in ? run.cast_low(bias_in) : bias_in;
  const bool has_bias = static_cast<bool>(bias);
  Tensor y{nullptr, {a.shape[0], b.shape[1]}, a.dtype, nullptr, false};
  Node* node = run.record_strided(has_bias ? "addmm" : "mm", {&y}, {&a, &b, &bias},
                                  [has_bias, of_a = layout_of(a), of_b = layout_of(b)](
                                      Runtime& r, Node& self, Tensors& grad) -> Tensors {
                                    Tensors back(3);
                                    auto first = [&] {
                                      if (self.needs(0))
                                        back[0] = gradient_of_mat1(r, grad[0], self.saved[1], of_a);
                                    };
                                    // Generated code goes by the arguments' names: mat1, mat2 of
                                    // addmm; mat2, self of mm.
                                    if (has_bias) first();
                                    if (self.needs(1))
                                      back[1] = gradient_of_mat2(r, grad[0], self.saved[0], of_b);
                                    if (!has_bias) first();
                                    if (self.needs(2)) back[2] = grad[0];
                                    return back;
                                  });
  if (node != nullptr) {
    run.keep(*node, node->needs(1) ? a : Tensor{});
    run.keep(*node, node->needs(0) ? b : Tensor{});
  }
  if (run.recomputed_enough()) return y;
  const bool lt = has_bias && bias.shape.size() == 1 && b.shape[1] > 1 && a.shape[1] > 1;
  if (lt) {
    run.allocate(y, "output");
    const Tensor first = fit_for_cublas(run, a);
    const Tensor second = fit_for_cublas(run, b);
    use_cublaslt(run);
    run.launch_matmul("addmm", a.shape[0], b.shape[1], a.shape[1], a.dtype);
    return y;
  }
  y.storage =
      product(run, has_bias ? "addmm" : "mm", a, b, false, category_now(run), "output").storage;
  return y;
}

Tensor bmm(Runtime& run, const Tensor& a_in, const Tensor& b_in) {
  const Tensor b = run.cast_low(b_in);
  const Tensor a = run.cast_low(a_in);
  Tensor y{nullptr, {a.shape[0], a.shape[1], b.shape[2]}, a.dtype, nullptr, false};
  Node* node = run.record_strided(
      "bmm", {&y}, {&a, &b}, [](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        Tensors back(2);
        // mat2 before self, by name
        if (self.needs(1))
          back[1] = product(r, "bmm", transposed(r, self.saved[0]), grad[0], false,
                            Category::Temporaries, "gradient of the second");
        if (self.needs(0))
          back[0] = product(r, "bmm", grad[0], transposed(r, self.saved[1]), false,
                            Category::Temporaries, "gradient of the first");
        return back;
      });
  if (node != nullptr) {
    run.keep(*node, node->needs(1) ? a : Tensor{});
    run.keep(*node, node->needs(0) ? b : Tensor{});
  }
  if (run.recomputed_enough()) return y;
  y.storage = product(run, "bmm", a, b, false, category_now(run), "output").storage;
  return y;
}

namespace {

// should_fold: a tensor of three or more dimensions times a matrix becomes a matrix, when that
// saves memory: when the larger one wants a gradient, or can be viewed so.
bool folds(const Tensor& large, const Tensor& small) {
  if (small.shape.size() == 1) return true;
  if (large.requires_grad()) return true;
  if (large.elements() == 0) return false;
  const Shape strides = strides_of(large);
  for (std::size_t i = 0; i + 2 < large.shape.size(); ++i) {
    if (strides[i] != strides[i + 1] * large.shape[i + 1]) return false;
  }
  return true;
}

Tensor folded(Runtime& run, const Tensor& a, const Tensor& b) {
  Shape shape = a.shape;
  const Tensor rows = reshape(run, a, {-1, a.shape.back()});
  shape.back() = b.shape.back();
  return reshape(run, addmm(run, {}, rows, b), std::move(shape));
}

Tensor batched(Runtime& run, const Tensor& a, const Tensor& b) {
  const Shape lead_a(a.shape.begin(), a.shape.end() - 2);
  const Shape lead_b(b.shape.begin(), b.shape.end() - 2);
  Shape lead = broadcast(lead_a, lead_b).value_or(lead_a);
  auto as_batch = [&](const Tensor& x) {
    Shape full = lead;
    full.insert(full.end(), x.shape.end() - 2, x.shape.end());
    const Tensor seen = expand(run, x, full);
    return reshape(run, seen, {-1, full[full.size() - 2], full.back()});
  };
  const Tensor left = as_batch(a);
  const Tensor right = as_batch(b);
  Shape shape = std::move(lead);
  shape.push_back(a.shape[a.shape.size() - 2]);
  shape.push_back(b.shape.back());
  return reshape(run, bmm(run, left, right), std::move(shape));
}

}  // namespace

Tensor matmul(Runtime& run, const Tensor& a_in, const Tensor& b_in) {
  const Tensor b = run.cast_low(b_in);
  const Tensor a = run.cast_low(a_in);
  const std::size_t of_a = a.shape.size();
  const std::size_t of_b = b.shape.size();
  if (of_a == 2 && of_b == 2) return addmm(run, {}, a, b);
  if (of_a >= 3 && of_b == 2 && folds(a, b)) return folded(run, a, b);
  if (of_b >= 3 && of_a == 2 && folds(b, a)) {
    const Tensor turned = folded(run, transpose(run, b, -2, -1), transpose(run, a, 0, 1));
    return transpose(run, turned, -2, -1);
  }
  return batched(run, a, b);
}

Tensor linear_strided(Runtime& run, const Tensor& x_in, const Tensor& weight_in,
                      const Tensor& bias_in) {
  const Tensor bias = bias_in ? run.cast_low(bias_in) : bias_in;
  const Tensor weight = run.cast_low(weight_in);
  const Tensor x = run.cast_low(x_in);
  Shape shape = x.shape;
  shape.back() = weight.shape[0];
  const bool flattens = bias && (x.shape.size() == 2 || is_contiguous(x));
  const Tensor turned = transpose(run, weight, 0, 1);
  if (!flattens) {
    Tensor y = matmul(run, x, turned);
    if (!bias) return y;
    const Tensor before = y;
    run.launch("add_", {&y, &bias, &y});
    run.record_strided("add_", {&y}, {&before, &bias},
                       [](Runtime&, Node&, Tensors& grad) -> Tensors {
                         return {grad[0], grad[0]};
                       });
    return y;
  }
  if (x.shape.size() == 2) return addmm(run, bias, x, turned);
  const Tensor rows = reshape(run, x, {-1, x.shape.back()});
  return reshape(run, addmm(run, bias, rows, turned), std::move(shape));
}

FORERUN_OPERATOR(kLinearStrided, "linear", {linear_strided(run, in[0], in[1], in[2])});
FORERUN_OPERATOR(kMatmul, "matmul", {matmul(run, in[0], in[1])});
FORERUN_OPERATOR(kBmm, "bmm", {bmm(run, in[0], in[1])});
FORERUN_OPERATOR(kAddmm, "addmm", {addmm(run, in[0], in[1], in[2])});

}  // namespace forerun::ops
