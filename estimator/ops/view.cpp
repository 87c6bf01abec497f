#include "estimator/ops/view.h"

#include <algorithm>
#include <utility>

#include "estimator/ops/define_operator.h"
#include "estimator/ops/strides.h"

namespace forerun::ops {
namespace {

using Backward = std::function<Tensors(Runtime&, Node&, Tensors&)>;

Tensor alias(Runtime& run, std::string_view op, const Tensor& x, Shape shape, const Shape& strides,
             Backward backward) {
  Tensor y{x.storage, std::move(shape), x.dtype, nullptr, false, strides};
  y.is_view = true;
  run.record_strided(op, {&y}, {&x}, std::move(backward));
  return y;
}

Shape strides_in_order(const Tensor& x, const Shape& order) {
  const Shape own = strides_of(x);
  Shape made;
  for (const std::int64_t from : order) made.push_back(own[static_cast<std::size_t>(from)]);
  return made;
}

struct Layout {
  Shape shape, strides;
};
// How x lies with one dimension left out.
Layout without(const Tensor& x, std::size_t dim) {
  Layout made{x.shape, strides_of(x)};
  const auto at = static_cast<std::ptrdiff_t>(dim);
  made.shape.erase(made.shape.begin() + at);
  made.strides.erase(made.strides.begin() + at);
  made.strides = normalised(made.shape, std::move(made.strides));
  return made;
}

// A gradient of zeros with the part that has one copied in (slice_backward, select_backward).
Tensor placed(Runtime& run, const Shape& whole, const Tensor& part) {
  Tensor made = run.output(whole, part.dtype, "gradient of the whole");
  run.launch("fill_", {&made});
  run.launch("copy_", {&part, &part});
  return made;
}

Tensor copied(Runtime& run, const Tensor& x, Shape strides, std::string_view role) {
  Tensor y = run.output_like(x, role);
  y.strides = std::move(strides);
  run.launch("copy_", {&x, &y});
  run.record_strided("clone", {&y}, {&x},
                     [](Runtime&, Node&, Tensors& grad) -> Tensors { return {grad[0]}; });
  return y;
}

Tensor joined(Runtime& run, const Tensors& parts, std::size_t dim, DType dtype,
              std::string_view role) {
  Shape shape = parts[0].shape;
  shape[dim] = 0;
  for (const Tensor& part : parts) shape[dim] += part.shape[dim];
  Tensor y = run.output(std::move(shape), dtype, role);
  run.launch("cat", {&y, &y});
  return y;
}

}  // namespace

std::size_t wrapped(std::int64_t dim, std::size_t dimensions) {
  return static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(dimensions) : dim);
}

Tensor contiguous(Runtime& run, const Tensor& x) {
  return is_contiguous(x) ? x : copied(run, x, {}, "contiguous copy");
}

Tensor reshape(Runtime& run, const Tensor& x, Shape to) {
  const Shape shape = fill_in(std::move(to), x.elements()).value_or(x.shape);
  const auto strides = view_strides(x, shape);
  // reshape's copy is a clone whose view is unsafe_view; both hand the gradient on.
  const Tensor from = strides ? x : copied(run, x, {}, "copy to reshape");
  if (strides && shape == x.shape) {
    return alias(run, "view", x, shape, *strides,
                 [](Runtime&, Node&, Tensors& grad) -> Tensors { return {grad[0]}; });
  }
  return alias(run, strides ? "view" : "_unsafe_view", from, shape, strides.value_or(Shape{}),
               [own = from.shape](Runtime& r, Node&, Tensors& grad) -> Tensors {
                 return {reshape(r, grad[0], own)};
               });
}

Tensor permute(Runtime& run, const Tensor& x, const Shape& order) {
  Shape shape, back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    shape.push_back(x.shape[static_cast<std::size_t>(order[i])]);
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  }
  const Shape strides = normalised(shape, strides_in_order(x, order));
  return alias(
      run, "permute", x, std::move(shape), strides,
      [back](Runtime& r, Node&, Tensors& grad) -> Tensors { return {permute(r, grad[0], back)}; });
}

Tensor transpose(Runtime& run, const Tensor& x, std::int64_t a, std::int64_t b) {
  Shape order(x.shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  std::swap(order[wrapped(a, order.size())], order[wrapped(b, order.size())]);
  return permute(run, x, order);
}

Tensor expand(Runtime& run, const Tensor& x, Shape to) {
  const Shape own = strides_of(x);
  const std::size_t lead = to.size() - x.shape.size();
  Shape strides(to.size(), 0);
  for (std::size_t i = lead; i < to.size(); ++i) {
    const std::int64_t size = x.shape[i - lead];
    if (to[i] == -1) to[i] = size;
    if (size == to[i]) strides[i] = own[i - lead];
  }
  strides = normalised(to, std::move(strides));
  // at::sum_to is what the engine does with a gradient that is larger than its input.
  return alias(run, "expand", x, std::move(to), strides,
               [](Runtime&, Node&, Tensors& grad) -> Tensors { return {grad[0]}; });
}

Tensor unsqueeze(Runtime& run, const Tensor& x, std::int64_t dim) {
  const std::size_t at = wrapped(dim, x.shape.size() + 1);
  Shape shape = x.shape;
  Shape strides = strides_of(x);
  strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(at),
                 at < shape.size() ? strides[at] * shape[at] : 1);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
  strides = normalised(shape, std::move(strides));
  return alias(run, "unsqueeze", x, std::move(shape), strides,
               [at](Runtime& r, Node&, Tensors& grad) -> Tensors {
                 return {squeeze(r, grad[0], static_cast<std::int64_t>(at))};
               });
}

Tensor squeeze(Runtime& run, const Tensor& x, std::int64_t dim) {
  const std::size_t at = wrapped(dim, x.shape.size());
  if (x.shape[at] != 1) return x;
  Layout left = without(x, at);
  return alias(run, "squeeze", x, std::move(left.shape), left.strides,
               [at](Runtime& r, Node&, Tensors& grad) -> Tensors {
                 return {unsqueeze(r, grad[0], static_cast<std::int64_t>(at))};
               });
}

Tensor slice(Runtime& run, const Tensor& x, std::int64_t dim, std::int64_t begin, std::int64_t end,
             std::int64_t step) {
  const std::size_t at = wrapped(dim, x.shape.size());
  const std::int64_t size = x.shape[at];
  if (begin < 0) begin += size;
  if (end < 0) end += size;
  begin = std::clamp<std::int64_t>(begin, 0, size);
  end = std::clamp<std::int64_t>(end, begin, size);
  Shape shape = x.shape;
  Shape strides = strides_of(x);
  shape[at] = (end - begin + step - 1) / step;
  strides[at] *= step;
  strides = normalised(shape, std::move(strides));
  return alias(run, "slice", x, std::move(shape), strides,
               [whole = x.shape](Runtime& r, Node&, Tensors& grad) -> Tensors {
                 return {placed(r, whole, grad[0])};
               });
}

Tensor select(Runtime& run, const Tensor& x, std::int64_t dim) {
  Layout left = without(x, wrapped(dim, x.shape.size()));
  return alias(run, "select", x, std::move(left.shape), left.strides,
               [whole = x.shape](Runtime& r, Node&, Tensors& grad) -> Tensors {
                 return {placed(r, whole, grad[0])};
               });
}

namespace {

std::vector<Tensor*> pointers(Tensors& tensors) {
  std::vector<Tensor*> made;
  for (Tensor& one : tensors) made.push_back(&one);
  return made;
}

// Zeros where an output was not used; then everything in one tensor.
Tensor gathered(Runtime& run, Tensors& grad, const std::vector<Shape>& shapes, std::size_t dim,
                DType dtype) {
  Tensors parts;
  for (std::size_t i = 0; i < grad.size(); ++i) {
    Tensor part = grad[i];
    if (!part) {
      part = run.output(shapes[i], dtype, "zeros for an output without gradient");
      run.launch("fill_", {&part});
    }
    parts.push_back(std::move(part));
  }
  return joined(run, parts, dim, dtype, "gradients joined");
}

}  // namespace

Tensors split(Runtime& run, const Tensor& x, const Shape& sizes, std::int64_t dim) {
  const std::size_t at = wrapped(dim, x.shape.size());
  Tensors made;
  std::vector<Shape> shapes;
  for (const std::int64_t size : sizes) {
    Shape shape = x.shape;
    shape[at] = size;
    const Shape strides = normalised(shape, strides_of(x));
    shapes.push_back(shape);
    made.push_back({x.storage, std::move(shape), x.dtype, nullptr, false, strides});
  }
  run.record_strided("split", pointers(made), {&x},
                     [shapes, at, dtype = x.dtype](Runtime& r, Node&, Tensors& grad) -> Tensors {
                       return {gathered(r, grad, shapes, at, dtype)};
                     });
  return made;
}

Tensors unbind(Runtime& run, const Tensor& x, std::int64_t dim) {
  const std::size_t at = wrapped(dim, x.shape.size());
  const Layout left = without(x, at);
  Tensors made(static_cast<std::size_t>(x.shape[at]),
               Tensor{x.storage, left.shape, x.dtype, nullptr, false, left.strides});
  run.record_strided("unbind", pointers(made), {&x},
                     [whole = x.shape, shape = left.shape, dtype = x.dtype](
                         Runtime& r, Node&, Tensors& grad) -> Tensors {
                       const std::vector<Shape> shapes(grad.size(), shape);
                       Tensor back = gathered(r, grad, shapes, 0, dtype);
                       back.shape = whole;  // stacked along `at`
                       return {back};
                     });
  return made;
}

Tensor to_dtype(Runtime& run, const Tensor& x, DType dtype) {
  if (x.dtype == dtype) return x;
  Tensor y = run.output(x.shape, dtype, "cast");
  y.strides = preserved_strides(x);
  run.launch("_to_copy", {&x, &y});
  if (!is_floating(x.dtype) || !is_floating(dtype)) return y;
  run.record_strided("to", {&y}, {&x},
                     [own = x.dtype](Runtime& r, Node&, Tensors& grad) -> Tensors {
                       return {to_dtype(r, grad[0].detach(), own)};
                     });
  return y;
}

Tensor cat(Runtime& run, const Tensors& parts_in, std::int64_t dim) {
  DType dtype = parts_in[0].dtype;
  for (const Tensor& part : parts_in)
    if (size_bytes(part.dtype) > size_bytes(dtype)) dtype = part.dtype;
  const std::size_t at = wrapped(dim, parts_in[0].shape.size());
  // Not on CUDA's autocast list: the kernel reads each part in its own dtype.
  const Tensors& parts = parts_in;
  Tensor y = joined(run, parts, at, dtype, "joined");
  std::vector<const Tensor*> inputs;
  Shape sizes;
  for (const Tensor& part : parts) {
    inputs.push_back(&part);
    sizes.push_back(part.shape[at]);
  }
  run.record_strided("cat", {&y}, inputs,
                     [at, sizes](Runtime&, Node& self, Tensors& grad) -> Tensors {
                       Tensors back(sizes.size());
                       for (std::size_t i = 0; i < sizes.size(); ++i) {
                         if (!self.needs(i)) continue;
                         back[i] = grad[0].detach();  // narrow
                         back[i].shape[at] = sizes[i];
                         back[i].strides = normalised(back[i].shape, strides_of(grad[0]));
                       }
                       return back;
                     });
  return y;
}

namespace {

Tensor clone(Runtime& run, const Tensor& x) {
  return copied(run, x, preserved_strides(x), "clone");
}

Tensor stack(Runtime& run, const Tensors& parts, std::int64_t dim) {
  Tensors lifted;
  for (const Tensor& part : parts) lifted.push_back(unsqueeze(run, part, dim));
  return cat(run, lifted, static_cast<std::int64_t>(wrapped(dim, parts[0].shape.size() + 1)));
}

}  // namespace

FORERUN_OPERATOR(kReshape, "reshape", {reshape(run, in[0], with.shape)});
FORERUN_OPERATOR(kContiguous, "contiguous", {contiguous(run, in[0])});
FORERUN_OPERATOR(kClone, "clone", {clone(run, in[0])});
FORERUN_OPERATOR(kTranspose, "transpose", {transpose(run, in[0], with.dim, with.other_dim)});
FORERUN_OPERATOR(kPermute, "permute", {permute(run, in[0], with.shape)});
FORERUN_OPERATOR(kExpand, "expand", {expand(run, in[0], with.shape)});
FORERUN_OPERATOR(kUnsqueeze, "unsqueeze", {unsqueeze(run, in[0], with.dim)});
FORERUN_OPERATOR(kSqueeze, "squeeze", {squeeze(run, in[0], with.dim)});
FORERUN_OPERATOR(kSlice, "slice",
                 {slice(run, in[0], with.dim, with.shape[0], with.shape[1], with.shape[2])});
FORERUN_OPERATOR(kSelect, "select", {select(run, in[0], with.dim)});
FORERUN_OPERATOR(kSplit, "split", split(run, in[0], with.shape, with.dim));
FORERUN_OPERATOR(kUnbind, "unbind", unbind(run, in[0], with.dim));
FORERUN_OPERATOR(kTo, "to", {to_dtype(run, in[0], with.dtype.value_or(in[0].dtype))});
FORERUN_OPERATOR(kDetach, "detach", {in[0].detach()});
FORERUN_OPERATOR(kCat, "cat", {cat(run, in, with.dim)});
FORERUN_OPERATOR(kStack, "stack", {stack(run, in, with.dim)});

}  // namespace forerun::ops
