// Reductions, softmax and tensors made from nothing.
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "estimator/graph/aten.h"
#include "estimator/ops/aggregate.h"

namespace forerun::graph {
namespace {

using Results = std::vector<Name>;

template <Name (*reduce)(Name, Shape, bool)>
Results over_dims(const AtenCall& call) {
  Name x = call.tensor("self");
  if (!x) return {};
  Shape dims = call.integers("dim");
  const auto rank = static_cast<std::int64_t>(x.shape().size());
  for (const std::int64_t dim : dims) {
    if (dim >= -rank && dim < rank) continue;
    call.refuse(fmt::format("'dim' is {}, but the tensor has {} dimensions", dim, rank));
    return {};
  }
  if (const auto dtype = call.type("dtype"); dtype && *dtype != x.dtype())
    call.refuse("a sum in another type is not modelled");
  return {reduce(std::move(x), std::move(dims), call.flag("keepdim", false))};
}

Results cumsum(const AtenCall& call) {
  Name x = call.tensor("self");
  if (!x) return {};
  const std::int64_t dim = call.dim(x, "dim", 0);
  return {fn::cumsum(std::move(x), dim)};
}

template <Name (*run)(Name, std::int64_t, std::optional<DType>)>
Results softmax(const AtenCall& call) {
  Name x = call.tensor("self");
  if (!x) return {};
  const std::int64_t dim = call.dim(x, "dim", -1);
  return {run(std::move(x), dim, call.type("dtype"))};
}

constexpr AtenOperator kOperators[] = {
    {"sum.default", over_dims<fn::sum>},
    {"sum.dim_IntList", over_dims<fn::sum>},
    {"mean.default", over_dims<fn::mean>},
    {"mean.dim", over_dims<fn::mean>},
    {"cumsum.default", cumsum},
    {"softmax.int", softmax<fn::softmax>},
    {"log_softmax.int", softmax<fn::log_softmax>},
};

std::int64_t arange_count(const AtenCall& call) {
  const double begin = call.number("start", 0), end = call.number("end", 0);
  const double step = call.number("step", 1);
  const double count = step == 0 ? -1 : std::ceil((end - begin) / step);
  if (count >= 1 && count < 1e12) return static_cast<std::int64_t>(count);
  call.refuse("a range of nothing is not modelled");
  return 1;
}

Results arange(const AtenCall& call) {
  const std::int64_t count = arange_count(call);
  return {fn::arange(call.builder(), count, call.type("dtype").value_or(DType::Int64))};
}

bool makeable(const AtenCall& call, const Shape& shape) {
  for (const std::int64_t size : shape) {
    if (size >= 0) continue;
    call.refuse(fmt::format("the shape {} is asked for", to_string(shape)));
    return false;
  }
  return true;
}

Results make(const AtenCall& call, Shape shape, DType fallback) {
  if (!makeable(call, shape) || call.builder().failed()) return {};
  const DType dtype = call.type("dtype").value_or(fallback);
  return {fn::zeros(call.builder(), std::move(shape), dtype)};
}

Results filled(const AtenCall& call) { return make(call, call.integers("size"), DType::Float32); }
Results new_filled(const AtenCall& call) {
  const Name x = call.tensor("self");
  return make(call, call.integers("size"), x.dtype());
}
Results filled_like(const AtenCall& call) {
  const Name x = call.tensor("self");
  return make(call, x.shape(), x.dtype());
}
Results scalar(const AtenCall& call) { return make(call, {}, DType::Float32); }

// Checks that compute nothing on the device.
Results nothing(const AtenCall&) { return {}; }

constexpr AtenOperator kFactories[] = {
    {"arange.default", arange},
    {"arange.start", arange},
    {"arange.start_step", arange},
    {"zeros.default", filled},
    {"ones.default", filled},
    {"full.default", filled},
    {"empty.memory_format", filled},
    {"new_zeros.default", new_filled},
    {"new_ones.default", new_filled},
    {"new_full.default", new_filled},
    {"new_empty.default", new_filled},
    {"zeros_like.default", filled_like},
    {"ones_like.default", filled_like},
    {"full_like.default", filled_like},
    {"empty_like.default", filled_like},
    {"scalar_tensor.default", scalar},
    {"_assert_tensor_metadata.default", nothing},
    {"_assert_scalar.default", nothing},
    {"_assert_async.msg", nothing},
    {"sym_constrain_range_for_size.default", nothing},
    {"sym_constrain_range.default", nothing},
};

}  // namespace

std::span<const AtenOperator> aten_reductions() { return kOperators; }
std::span<const AtenOperator> aten_factories() { return kFactories; }

}  // namespace forerun::graph
