// Pointwise operators, their forms with a Python number, and those in place.
#include <utility>

#include <fmt/format.h>

#include "estimator/graph/aten.h"
#include "estimator/ops/image.h"
#include "estimator/ops/operator.h"
#include "estimator/ops/pointwise.h"
#include "estimator/ops/strides.h"

namespace forerun::graph {
namespace {

using Results = std::vector<Name>;

Results apply(const AtenCall& call, const ops::Operator& op, std::vector<Name> operands,
              ops::Attributes with = {}) {
  if (call.builder().failed()) return {};
  for (const Name& one : operands)
    if (!one) return {};
  return {call.builder().apply_one(op, std::move(operands), std::move(with))};
}

template <const ops::Operator& op>
Results one(const AtenCall& call) {
  return apply(call, op, names_of(call.tensor("self")));
}

bool broadcasts(const AtenCall& call, const Name& a, const Name& b) {
  if (!a || !b) return false;
  if (ops::broadcast(a.shape(), b.shape())) return true;
  call.refuse(
      fmt::format("{} and {} do not broadcast", to_string(a.shape()), to_string(b.shape())));
  return false;
}

// self and other, a tensor or a number.
template <const ops::Operator& op>
Results two(const AtenCall& call) {
  Name a = call.tensor("self");
  if (!call.is_tensor("other"))
    return apply(call, op, names_of(std::move(a)), {.value = call.number("other", 0)});
  Name b = call.tensor("other");
  if (!broadcasts(call, a, b)) return {};
  return apply(call, op, names_of(std::move(a), std::move(b)));
}

// add and sub multiply `other` by alpha in the same kernel; its gradient is multiplied too.
template <const ops::Operator& op>
Results scaled_two(const AtenCall& call) {
  if (call.number("alpha", 1) != 1 && call.is_tensor("other"))
    call.refuse("an alpha other than 1 is not modelled");
  return two<op>(call);
}

Results reversed_sub(const AtenCall& call) {
  if (call.is_tensor("other") || call.number("alpha", 1) != 1)
    call.refuse("this form is not modelled");
  return one<ops::kNumberMinus>(call);
}

Results power(const AtenCall& call) {
  return apply(call, ops::kPow, names_of(call.tensor("self")),
               {.value = call.number("exponent", 2)});
}

Results gelu(const AtenCall& call) { return one<ops::kGelu>(call); }

// The input's storage is written over; where the input is a view, autograd goes through CopySlices.
template <const ops::Operator& op>
Results one_in_place(const AtenCall& call) {
  const Name x = call.tensor("self");
  if (!x) return {};
  if (call.builder().tensor(x.id()).is_view)
    call.refuse("in place on a view: that is not modelled");
  return apply(call, op, names_of(x));
}

Results add_in_place(const AtenCall& call) {
  const Name x = call.tensor("self");
  if (!x) return {};
  const bool view = call.builder().tensor(x.id()).is_view;
  if (!call.is_tensor("other")) {
    if (is_floating(x.dtype())) call.refuse("adding a number in place is not modelled");
    return {x};  // a counter, such as batch norm's: nothing is allocated
  }
  const Name other = call.tensor("other");
  if (view) call.refuse("in place on a view: that is not modelled");
  if (call.number("alpha", 1) != 1) call.refuse("an alpha other than 1 is not modelled");
  if (!broadcasts(call, x, other)) return {};
  return apply(call, ops::kAddInPlace, names_of(x, other));
}

// Bits of whole numbers are not modelled.
bool of_flags(const AtenCall& call) {
  if (call.tensor("self").dtype() == DType::Bool) return true;
  call.refuse("bits of whole numbers are not modelled");
  return false;
}
template <const ops::Operator& op>
Results both_flags(const AtenCall& call) {
  return of_flags(call) ? two<op>(call) : Results{};
}
Results not_flags(const AtenCall& call) {
  return of_flags(call) ? one<ops::kLogicalNot>(call) : Results{};
}

// relu_ of a view writes the base: autograd goes through CopySlices.
Results relu_in_place(const AtenCall& call) {
  const Name x = call.tensor("self");
  if (!x) return {};
  const bool view = call.builder().tensor(x.id()).is_view;
  return apply(call, ops::kRelu, names_of(x), {.inplace = true, .on_view = view});
}

Results dropout_in_place(const AtenCall& call) {
  const Name x = call.tensor("self");
  const double p = call.number("p", 0.5);
  if (!x || p == 0 || !call.flag("train", true)) return {x};
  if (p < 0 || p >= 1) call.refuse(fmt::format("a dropout of {} is not modelled", p));
  const bool view = call.builder().tensor(x.id()).is_view;
  return apply(call, ops::kDropoutInPlace, names_of(x), {.on_view = view, .p = p});
}

// Written over by what allocates nothing: masks, noise. What trains is not modelled.
Results fill_in_place(const AtenCall& call) {
  const Name x = call.tensor("self");
  if (!x) return {};
  if (call.trains()) call.refuse("in place on what trains: that is not modelled");
  return apply(call, ops::kFillInPlace, names_of(x));
}

// hardtanh(x, 0, 6) is relu6.
Results hardtanh(const AtenCall& call) { return one<ops::kRelu6>(call); }

Results masked_fill(const AtenCall& call) {
  Name x = call.tensor("self"), mask = call.tensor("mask");
  if (call.is_tensor("value")) call.refuse("a value that is a tensor is not modelled");
  if (!broadcasts(call, x, mask)) return {};
  return apply(call, ops::kMaskedFill, names_of(std::move(x), std::move(mask)));
}

Results where(const AtenCall& call) {
  Name condition = call.tensor("condition");
  Name a = call.is_tensor("self") ? call.tensor("self") : Name{};
  Name b = call.is_tensor("other") ? call.tensor("other") : Name{};
  if (!a && !b) call.refuse("a choice between two numbers is not modelled");
  if (call.builder().failed()) return {};
  if ((a && !broadcasts(call, condition, a)) || (b && !broadcasts(call, condition, b))) return {};
  return {fn::where(std::move(condition), std::move(a), std::move(b))};
}

Results dropout(const AtenCall& call) {
  const Name x = call.tensor(call.has("input") ? "input" : "self");
  const double p = call.number("p", 0.5);
  const char* flag = call.has("training") ? "training" : "train";
  if (!x || p == 0 || !call.flag(flag, true)) return {x};
  if (p < 0 || p >= 1) {
    call.refuse(fmt::format("a dropout of {} is not modelled", p));
    return {};
  }
  return {fn::dropout(x, p)};
}

constexpr AtenOperator kOperators[] = {
    {"relu.default", one<ops::kRelu>},
    {"gelu.default", gelu},
    {"tanh.default", one<ops::kTanh>},
    {"sigmoid.default", one<ops::kSigmoid>},
    {"silu.default", one<ops::kSilu>},
    {"leaky_relu.default", one<ops::kLeakyRelu>},
    {"elu.default", one<ops::kElu>},
    {"selu.default", one<ops::kSelu>},
    {"relu6.default", one<ops::kRelu6>},
    {"hardtanh.default", hardtanh},
    {"hardswish.default", one<ops::kHardswish>},
    {"mish.default", one<ops::kMish>},
    {"softplus.default", one<ops::kSoftplus>},
    {"neg.default", one<ops::kNeg>},
    {"exp.default", one<ops::kExp>},
    {"log.default", one<ops::kLog>},
    {"cos.default", one<ops::kCos>},
    {"sin.default", one<ops::kSin>},
    {"sqrt.default", one<ops::kSqrt>},
    {"rsqrt.default", one<ops::kRsqrt>},
    {"abs.default", one<ops::kAbs>},
    {"pow.Tensor_Scalar", power},
    {"add.Tensor", scaled_two<ops::kAddTensors>},
    {"add.Scalar", scaled_two<ops::kAddTensors>},
    {"sub.Tensor", scaled_two<ops::kSub>},
    {"sub.Scalar", scaled_two<ops::kSub>},
    {"mul.Tensor", two<ops::kMul>},
    {"mul.Scalar", two<ops::kMul>},
    {"div.Tensor", two<ops::kDiv>},
    {"div.Scalar", two<ops::kDiv>},
    {"maximum.default", two<ops::kMaximum>},
    {"minimum.default", two<ops::kMinimum>},
    {"rsub.Scalar", reversed_sub},
    {"reciprocal.default", one<ops::kNumberOver>},
    {"eq.Scalar", two<ops::kCompare>},
    {"eq.Tensor", two<ops::kCompare>},
    {"ne.Scalar", two<ops::kCompare>},
    {"ne.Tensor", two<ops::kCompare>},
    {"lt.Scalar", two<ops::kCompare>},
    {"lt.Tensor", two<ops::kCompare>},
    {"le.Scalar", two<ops::kCompare>},
    {"le.Tensor", two<ops::kCompare>},
    {"gt.Scalar", two<ops::kCompare>},
    {"gt.Tensor", two<ops::kCompare>},
    {"ge.Scalar", two<ops::kCompare>},
    {"ge.Tensor", two<ops::kCompare>},
    {"logical_and.default", two<ops::kLogicalAnd>},
    {"logical_or.default", two<ops::kLogicalOr>},
    {"logical_not.default", one<ops::kLogicalNot>},
    {"bitwise_not.default", not_flags},
    {"__and__.Tensor", both_flags<ops::kLogicalAnd>},
    {"bitwise_and.Tensor", both_flags<ops::kLogicalAnd>},
    {"__or__.Tensor", both_flags<ops::kLogicalOr>},
    {"bitwise_or.Tensor", both_flags<ops::kLogicalOr>},
    {"isinf.default", one<ops::kIsInf>},
    {"masked_fill.Scalar", masked_fill},
    {"masked_fill.Tensor", masked_fill},
    {"where.self", where},
    {"where.ScalarOther", where},
    {"where.ScalarSelf", where},
    {"dropout.default", dropout},
    {"relu_.default", relu_in_place},
    {"dropout_.default", dropout_in_place},
    {"bernoulli_.float", fill_in_place},
    {"uniform_.default", fill_in_place},
    {"normal_.default", fill_in_place},
    {"zero_.default", fill_in_place},
    {"fill_.Scalar", fill_in_place},
    {"masked_fill_.Scalar", fill_in_place},
    {"div_.Scalar", fill_in_place},
    {"div_.Tensor", fill_in_place},
    {"mul_.Scalar", fill_in_place},
    {"mul_.Tensor", fill_in_place},
    {"hardtanh_.default", one_in_place<ops::kHardtanhInPlace>},
    {"relu6_.default", one_in_place<ops::kHardtanhInPlace>},
    {"silu_.default", one_in_place<ops::kSiluInPlace>},
    {"hardswish_.default", one_in_place<ops::kHardswishInPlace>},
    {"add_.Tensor", add_in_place},
    {"add_.Scalar", add_in_place},
};

}  // namespace

std::span<const AtenOperator> aten_pointwise() { return kOperators; }

}  // namespace forerun::graph
