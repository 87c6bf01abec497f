// Views, copies and joins (aten/src/ATen/native/TensorShape.cpp, 2.11).
#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "estimator/graph/aten.h"

namespace forerun::graph {
namespace {

using Results = std::vector<Name>;

std::int64_t rank(const Name& x) { return static_cast<std::int64_t>(x.shape().size()); }

// What a view may be asked for: sizes that multiply to the elements, with one -1 at most.
bool fits(const AtenCall& call, const Name& x, const Shape& to) {
  std::int64_t known = 1, open = 0;
  for (const std::int64_t size : to) {
    if (size == -1)
      ++open;
    else if (size < 0 || (size > 0 && known > (1ll << 60) / size))
      open = 2;
    else
      known *= size;
  }
  const std::int64_t elements = numel(x.shape()).value_or(-1);
  const bool whole =
      open == 0 ? known == elements : open == 1 && known > 0 && elements % known == 0;
  if (!whole)
    call.refuse(fmt::format("{} does not fit into {}", to_string(x.shape()), to_string(to)));
  return whole;
}

Results view_as_shape(const AtenCall& call, Name x, Shape to) {
  if (!x || !fits(call, x, to)) return {};
  return {fn::reshape(std::move(x), std::move(to))};
}

Results view(const AtenCall& call) {
  return view_as_shape(call, call.tensor("self"), call.integers("size"));
}

Results reshape(const AtenCall& call) {
  return view_as_shape(call, call.tensor("self"), call.integers("shape"));
}

// ONNX: 0 keeps the input's size there.
Results reshape_onnx(const AtenCall& call) {
  Name x = call.tensor("self");
  Shape to = call.integers("shape");
  for (std::size_t i = 0; i < to.size(); ++i)
    if (to[i] == 0) to[i] = x.size(static_cast<int>(i));
  return view_as_shape(call, std::move(x), std::move(to));
}

Results view_as(const AtenCall& call) {
  return view_as_shape(call, call.tensor("self"), call.tensor("other").shape());
}

Results flatten(const AtenCall& call) {
  Name x = call.tensor("self");
  if (!x) return {};
  if (x.shape().empty()) return view_as_shape(call, x, {1});
  const auto begin = call.dim(x, "start_dim", 0), end = call.dim(x, "end_dim", -1);
  if (end < begin) {
    call.refuse("start_dim comes after end_dim");
    return {};
  }
  if (begin == end) return {x};
  Shape to;
  std::int64_t joined = 1;
  for (std::int64_t i = 0; i < rank(x); ++i) {
    const std::int64_t size = x.size(static_cast<int>(i));
    if (i >= begin && i <= end) joined *= size;
    if (i < begin || i > end) to.push_back(size);
    if (i == end) to.push_back(joined);
  }
  return view_as_shape(call, x, std::move(to));
}

Results unflatten(const AtenCall& call) {
  const Name x = call.tensor("self");
  if (!x) return {};
  const std::int64_t dim = call.dim(x, "dim", 0);
  Shape sizes = call.integers("sizes");
  Shape to = x.shape();
  to.erase(to.begin() + dim);
  to.insert(to.begin() + dim, sizes.begin(), sizes.end());
  return view_as_shape(call, x, std::move(to));
}

Results transposed(const AtenCall& call, std::int64_t a, std::int64_t b) {
  return {fn::transpose(call.tensor("self"), a, b)};
}

Results transpose(const AtenCall& call) {
  const Name x = call.tensor("self");
  return x ? transposed(call, call.dim(x, "dim0", 0), call.dim(x, "dim1", 0)) : Results{};
}

Results swap_dims(const AtenCall& call) {
  const Name x = call.tensor("self");
  return x ? transposed(call, call.dim(x, "axis0", 0), call.dim(x, "axis1", 0)) : Results{};
}

// t, T, mT: the last two dimensions.
Results transpose_last(const AtenCall& call) {
  const Name x = call.tensor("self");
  if (!x || rank(x) < 2) return {x};
  return transposed(call, rank(x) - 2, rank(x) - 1);
}

Results permuted(const AtenCall& call, const Name& x, const Shape& dims) {
  Shape order;
  for (const std::int64_t dim : dims) order.push_back(dim < 0 ? dim + rank(x) : dim);
  Shape sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool whole = static_cast<std::int64_t>(sorted.size()) == rank(x);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    whole = whole && sorted[i] == static_cast<std::int64_t>(i);
  if (!whole) {
    call.refuse(fmt::format("{} is no order of {} dimensions", to_string(dims), rank(x)));
    return {};
  }
  return {fn::permute(x, std::move(order))};
}

Results permute(const AtenCall& call) {
  const Name x = call.tensor("self");
  return x ? permuted(call, x, call.integers("dims")) : Results{};
}

Results expanded(const AtenCall& call, const Name& x, Shape to) {
  const Shape& own = x.shape();
  bool whole = to.size() >= own.size();
  for (std::size_t i = 0; whole && i < to.size(); ++i) {
    const std::size_t lead = to.size() - own.size();
    if (i < lead) {
      whole = to[i] >= 0;
      continue;
    }
    whole = to[i] == -1 || own[i - lead] == 1 || own[i - lead] == to[i];
  }
  if (!whole) {
    call.refuse(fmt::format("{} does not expand to {}", to_string(own), to_string(to)));
    return {};
  }
  return {fn::expand(x, std::move(to))};
}

Results expand(const AtenCall& call) {
  const Name x = call.tensor("self");
  return x ? expanded(call, x, call.integers("size")) : Results{};
}

Results expand_as(const AtenCall& call) {
  const Name x = call.tensor("self");
  return x ? expanded(call, x, call.tensor("other").shape()) : Results{};
}

Results unsqueeze(const AtenCall& call) {
  const Name x = call.tensor("self");
  if (!x) return {};
  const std::int64_t given = call.integer("dim", 0);
  const std::int64_t dim = given < 0 ? given + rank(x) + 1 : given;
  if (dim < 0 || dim > rank(x)) {
    call.refuse(fmt::format("'dim' is {}", given));
    return {};
  }
  return {fn::unsqueeze(x, dim)};
}

Results squeeze_dim(const AtenCall& call) {
  const Name x = call.tensor("self");
  if (!x) return {};
  const std::int64_t dim = call.dim(x, "dim", 0);
  if (x.size(static_cast<int>(dim)) != 1) return {fn::reshape(x, x.shape())};
  return {fn::squeeze(x, dim)};
}

Results slice(const AtenCall& call) {
  const Name x = call.tensor("self");
  if (!x) return {};
  const std::int64_t dim = call.dim(x, "dim", 0);
  const std::int64_t size = x.size(static_cast<int>(dim));
  const auto bound = [&](std::int64_t value) {
    return std::clamp<std::int64_t>(value < 0 ? value + size : value, 0, size);
  };
  const std::int64_t begin = bound(call.integer("start", 0));
  const std::int64_t end = std::max(begin, bound(call.integer("end", size)));
  const std::int64_t step = call.integer("step", 1);
  if (step < 1 || end == begin) {
    call.refuse("a slice of nothing is not modelled");
    return {};
  }
  return {fn::slice(x, dim, begin, end, step)};
}

Results narrow(const AtenCall& call) {
  const Name x = call.tensor("self");
  if (!x) return {};
  const std::int64_t dim = call.dim(x, "dim", 0);
  const std::int64_t begin = call.integer("start", 0), length = call.integer("length", 1);
  if (begin < 0 || length < 1 || length > x.size(static_cast<int>(dim)) - begin) {
    call.refuse("a part that lies outside is asked for");
    return {};
  }
  return {fn::slice(x, dim, begin, begin + length)};
}

Results select(const AtenCall& call) {
  const Name x = call.tensor("self");
  return x ? Results{fn::select(x, call.dim(x, "dim", 0))} : Results{};
}

Results split_sizes(const AtenCall& call, const Name& x, Shape sizes, std::int64_t dim) {
  const std::int64_t sum = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  const bool positive = std::all_of(sizes.begin(), sizes.end(), [](auto size) { return size > 0; });
  if (!positive || sum != x.size(static_cast<int>(dim))) {
    call.refuse(fmt::format("{} does not split into {}", to_string(x.shape()), to_string(sizes)));
    return {};
  }
  return fn::split(x, std::move(sizes), dim);
}

Results split_into(const AtenCall& call, const Name& x, std::int64_t piece, std::int64_t dim) {
  const std::int64_t size = x.size(static_cast<int>(dim));
  if (piece < 1 || size / piece > 100'000) {
    call.refuse(fmt::format("pieces of {} are asked for", piece));
    return {};
  }
  Shape sizes;
  for (std::int64_t at = 0; at < size; at += piece) sizes.push_back(std::min(piece, size - at));
  return split_sizes(call, x, std::move(sizes), dim);
}

Results split(const AtenCall& call) {
  const Name x = call.tensor("self");
  if (!x) return {};
  return split_into(call, x, call.integer("split_size", 1), call.dim(x, "dim", 0));
}

Results split_with_sizes(const AtenCall& call) {
  const Name x = call.tensor("self");
  if (!x) return {};
  const char* named = call.has("split_size") ? "split_size" : "split_sizes";
  return split_sizes(call, x, call.integers(named), call.dim(x, "dim", 0));
}

Results chunk(const AtenCall& call) {
  const Name x = call.tensor("self");
  if (!x) return {};
  const std::int64_t dim = call.dim(x, "dim", 0), pieces = call.integer("chunks", 1);
  if (pieces < 1) {
    call.refuse("chunks is not positive");
    return {};
  }
  const std::int64_t size = x.size(static_cast<int>(dim));
  return split_into(call, x, (size + pieces - 1) / pieces, dim);
}

Results unbind(const AtenCall& call) {
  const Name x = call.tensor("self");
  return x ? fn::unbind(x, call.dim(x, "dim", 0)) : Results{};
}

Results contiguous(const AtenCall& call) {
  if (call.has("memory_format")) call.refuse("a memory format is not modelled");
  return {fn::contiguous(call.tensor("self"))};
}
Results clone(const AtenCall& call) {
  if (call.has("memory_format")) call.refuse("a memory format is not modelled");
  return {fn::clone(call.tensor("self"))};
}
Results detach(const AtenCall& call) { return {fn::detach(call.tensor("self"))}; }
Results itself(const AtenCall& call) { return {call.tensor("self")}; }

Results to_type(const AtenCall& call) {
  Name x = call.tensor("self");
  if (!x) return {};
  if (call.has("memory_format")) call.refuse("a memory format is not modelled");
  if (call.flag("copy", false)) call.refuse("a copy in the same type is not modelled");
  const DType dtype = call.type("dtype").value_or(x.dtype());
  return {fn::to(std::move(x), dtype)};
}

bool joinable(const AtenCall& call, const std::vector<Name>& parts, std::int64_t dim, bool same) {
  bool whole = !parts.empty() && std::all_of(parts.begin(), parts.end(), [](const Name& one) {
    return static_cast<bool>(one);
  });
  for (const Name& one : parts) {
    if (!whole) break;
    whole = rank(one) == rank(parts[0]);
    for (std::int64_t i = 0; whole && i < rank(one); ++i)
      whole = (!same && i == dim) ||
              one.size(static_cast<int>(i)) == parts[0].size(static_cast<int>(i));
  }
  if (!whole) call.refuse("its tensors do not fit together");
  return whole;
}

Results cat(const AtenCall& call) {
  std::vector<Name> parts = call.tensors("tensors");
  if (parts.empty() || !parts[0] || call.builder().failed()) return {};
  const std::int64_t dim = call.dim(parts[0], "dim", 0);
  if (!joinable(call, parts, dim, false)) return {};
  return {fn::cat(std::move(parts), dim)};
}

Results stack(const AtenCall& call) {
  std::vector<Name> parts = call.tensors("tensors");
  if (parts.empty() || !parts[0] || call.builder().failed()) return {};
  const std::int64_t given = call.integer("dim", 0);
  const std::int64_t dim = given < 0 ? given + rank(parts[0]) + 1 : given;
  if (!joinable(call, parts, dim, true)) return {};
  return {fn::stack(std::move(parts), dim)};
}

constexpr AtenOperator kOperators[] = {
    {"view.default", view},
    {"_unsafe_view.default", view},
    {"reshape.default", reshape},
    {"reshape.onnx", reshape_onnx},
    {"view_as.default", view_as},
    {"reshape_as.default", view_as},
    {"flatten.using_ints", flatten},
    {"unflatten.int", unflatten},
    {"transpose.int", transpose},
    {"swapaxes.default", swap_dims},
    {"t.default", transpose_last},
    {"numpy_T.default", transpose_last},
    {"mT.default", transpose_last},
    {"permute.default", permute},
    {"expand.default", expand},
    {"expand_as.default", expand_as},
    {"unsqueeze.default", unsqueeze},
    {"squeeze.dim", squeeze_dim},
    {"slice.Tensor", slice},
    {"narrow.default", narrow},
    {"select.int", select},
    {"split.Tensor", split},
    {"split.sizes", split_with_sizes},
    {"split_with_sizes.default", split_with_sizes},
    {"chunk.default", chunk},
    {"unbind.int", unbind},
    {"contiguous.default", contiguous},
    {"clone.default", clone},
    {"detach.default", detach},
    {"detach_.default", detach},
    {"alias.default", itself},
    {"lift_fresh_copy.default", clone},
    {"to.dtype", to_type},
    {"to.dtype_layout", to_type},
    {"to.device", to_type},
    {"to.other", itself},
    {"_to_copy.default", to_type},
    {"type_as.default",
     [](const AtenCall& call) -> Results {
       const Name other = call.tensor("other");
       return {fn::to(call.tensor("self"), other.dtype())};
     }},
    {"cat.default", cat},
    {"concat.default", cat},
    {"stack.default", stack},
};

}  // namespace

std::span<const AtenOperator> aten_views() { return kOperators; }

}  // namespace forerun::graph
