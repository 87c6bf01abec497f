#include "estimator/ops/strides.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace forerun::ops {

Shape contiguous_strides(const Shape& shape) {
  Shape strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

Shape strides_of(const Tensor& tensor) {
  return tensor.strides.empty() ? contiguous_strides(tensor.shape) : tensor.strides;
}

Shape normalised(const Shape& shape, Shape strides) {
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 0) return {};
    if (shape[i] == 1) continue;
    if (strides[i] != step) return strides;
    step *= shape[i];
  }
  return {};
}

bool is_dense(const Tensor& tensor) {
  if (is_contiguous(tensor)) return true;
  std::vector<std::size_t> order(tensor.shape.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (tensor.shape[a] < 2) return false;
    return tensor.shape[b] < 2 || tensor.strides[a] < tensor.strides[b];
  });
  std::int64_t step = 1;
  for (const std::size_t i : order) {
    if (tensor.shape[i] < 2) return true;
    if (tensor.strides[i] != step) return false;
    step *= tensor.shape[i];
  }
  return true;
}

Shape preserved_strides(const Tensor& tensor) {
  if (is_contiguous(tensor)) return {};
  if (is_dense(tensor)) return tensor.strides;
  return iterator_strides(tensor.shape, {&tensor});
}

std::optional<Shape> view_strides(const Tensor& tensor, const Shape& shape) {
  if (is_contiguous(tensor)) return Shape{};
  const Shape& old = tensor.shape;
  const Shape& steps = tensor.strides;
  Shape made(shape.size());
  auto view = static_cast<std::ptrdiff_t>(shape.size()) - 1;
  std::int64_t chunk_step = steps.back();
  std::int64_t in_chunk = 1;
  std::int64_t in_view = 1;
  for (auto i = static_cast<std::ptrdiff_t>(old.size()) - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    in_chunk *= old[at];
    const bool ends = i == 0 || (old[at - 1] != 1 && steps[at - 1] != in_chunk * chunk_step);
    if (!ends) continue;
    while (view >= 0 && (in_view < in_chunk || shape[static_cast<std::size_t>(view)] == 1)) {
      made[static_cast<std::size_t>(view)] = in_view * chunk_step;
      in_view *= shape[static_cast<std::size_t>(view)];
      --view;
    }
    if (in_view != in_chunk) return std::nullopt;
    if (i > 0) {
      chunk_step = steps[at - 1];
      in_chunk = 1;
      in_view = 1;
    }
  }
  if (view != -1) return std::nullopt;
  return normalised(shape, std::move(made));
}

std::optional<Shape> fill_in(Shape shape, std::int64_t elements) {
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::int64_t& size : shape) {
    if (size >= 0)
      known *= size;
    else if (open != nullptr)
      return std::nullopt;
    else
      open = &size;
  }
  if (open != nullptr) {
    if (known == 0 || elements % known != 0) return std::nullopt;
    *open = elements / known;
    return shape;
  }
  return known == elements ? std::optional(shape) : std::nullopt;
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape made = longer;
  const std::size_t lead = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& size = made[lead + i];
    if (size == shorter[i] || shorter[i] == 1) continue;
    if (size != 1) return std::nullopt;
    size = shorter[i];
  }
  return made;
}

namespace {

// The strides of an operand seen in the result's shape: 0 where it is repeated.
Shape seen_as(const Tensor& operand, const Shape& result) {
  const Shape own = strides_of(operand);
  Shape made(result.size(), 0);
  const std::size_t lead = result.size() - operand.shape.size();
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (operand.shape[i] != 1 || result[lead + i] == 1) made[lead + i] = own[i];
  }
  return made;
}

// 1: the first dimension should come after the second; -1: before; 0: they do not tell.
int compare(const Shape& shape, const std::vector<Shape>& operands, std::size_t a, std::size_t b) {
  for (const Shape& strides : operands) {
    if (strides[a] == 0 || strides[b] == 0) continue;
    if (strides[a] != strides[b]) return strides[a] < strides[b] ? -1 : 1;
    if (shape[a] > shape[b]) return 1;
  }
  return 0;
}

}  // namespace

Shape iterator_strides(const Shape& result, const std::vector<const Tensor*>& operands) {
  const bool simple = std::all_of(operands.begin(), operands.end(),
                                  [](const Tensor* one) { return is_contiguous(*one); });
  if (simple || result.size() < 2) return {};
  std::vector<Shape> seen;
  for (const Tensor* one : operands) seen.push_back(seen_as(*one, result));
  std::vector<std::size_t> order(result.size());  // the fastest dimension first
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  for (std::size_t i = 1; i < order.size(); ++i) {
    std::size_t moving = i;
    for (std::size_t before = i; before-- > 0;) {
      const int told = compare(result, seen, order[before], order[moving]);
      if (told > 0) {
        std::swap(order[before], order[moving]);
        moving = before;
      } else if (told < 0) {
        break;
      }
    }
  }
  Shape strides(result.size());
  std::int64_t step = 1;
  for (const std::size_t i : order) {
    strides[i] = step;
    step *= result[i];
  }
  return normalised(result, std::move(strides));
}

}  // namespace forerun::ops
