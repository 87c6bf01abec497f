#include "estimator/ops/pointwise.h"

#include <utility>

#include "estimator/ops/define_operator.h"
#include "estimator/ops/strides.h"

namespace forerun::ops {
namespace {

// bool, whole numbers, floating point
int kind(DType dtype) { return is_floating(dtype) ? 2 : dtype == DType::Bool ? 0 : 1; }

DType wider(DType a, DType b) {
  if (a == b) return a;
  if (kind(a) != kind(b)) return kind(a) > kind(b) ? a : b;
  if (size_bytes(a) == size_bytes(b)) return DType::Float32;  // float16 and bfloat16
  return size_bytes(a) > size_bytes(b) ? a : b;
}

}  // namespace

DType promoted(const Tensor& a, const Tensor& b) {
  const bool a_counts = !a.shape.empty() || b.shape.empty();
  const bool b_counts = !b.shape.empty() || a.shape.empty();
  if (!a_counts && kind(a.dtype) <= kind(b.dtype)) return b.dtype;
  if (!b_counts && kind(b.dtype) <= kind(a.dtype)) return a.dtype;
  return wider(a.dtype, b.dtype);
}

Tensor elementwise(Runtime& run, std::string_view kernel,
                   const std::vector<const Tensor*>& operands, DType dtype, std::string_view role) {
  Shape shape = operands[0]->shape;
  double bytes = 0;
  for (const Tensor* one : operands) {
    shape = broadcast(shape, one->shape).value_or(shape);
    bytes += static_cast<double>(one->bytes());
  }
  const Shape strides = iterator_strides(shape, operands);
  Tensor made = run.output(std::move(shape), dtype, role);
  made.strides = strides;
  run.tape.launch(kernel, DType::Float32, 0, bytes + static_cast<double>(made.bytes()));
  return made;
}

namespace {

enum class Keeps { Nothing, Input, Result };

struct Rule {
  std::string_view name;
  Keeps keeps = Keeps::Nothing;
  int on_the_way = 0;              // tensors of the gradient's size before backward's own result
  bool float_in_autocast = false;  // on autocast's list of fp32
  bool differentiable = true;
  bool to_bool = false;
};

// exp: grad * result. log: grad / x. cos: grad * -sin(x). sin: grad * cos(x). sqrt: grad / (2 *
// result). rsqrt: -0.5 * grad * result^3. abs: grad * sgn(x). pow: grad * (n * x^(n - 1)).
constexpr Rule kNegRule{"neg"};
constexpr Rule kExpRule{"exp", Keeps::Result, 0, true};
constexpr Rule kLogRule{"log", Keeps::Input, 0, true};
constexpr Rule kCosRule{"cos", Keeps::Input, 2};
constexpr Rule kSinRule{"sin", Keeps::Input, 1};
constexpr Rule kSqrtRule{"sqrt", Keeps::Result, 1};
constexpr Rule kRsqrtRule{"rsqrt", Keeps::Result, 2, true};
constexpr Rule kAbsRule{"abs", Keeps::Input, 1};
constexpr Rule kPowRule{"pow", Keeps::Input, 2, true};
constexpr Rule kNotRule{"logical_not", Keeps::Nothing, 0, false, false, true};
constexpr Rule kIsInfRule{"isinf", Keeps::Nothing, 0, false, false, true};

DType result_of(const Rule& rule, DType of) {
  if (rule.to_bool) return DType::Bool;
  const bool stays =
      is_floating(of) || rule.name == "neg" || rule.name == "abs" || rule.name == "pow";
  return stays ? of : DType::Float32;
}

Tensor unary(Runtime& run, const Rule& rule, const Tensor& given) {
  const Tensor x = rule.float_in_autocast ? run.cast_float(given) : given;
  Tensor y{nullptr, x.shape, result_of(rule, x.dtype), nullptr, false};
  Node* node = nullptr;
  if (rule.differentiable) {
    node = run.record_strided(
        rule.name, {&y}, {&x}, [rule](Runtime& r, Node& self, Tensors& grad) -> Tensors {
          const Tensor& kept = self.saved.empty() ? grad[0] : self.saved[0];
          Tensors on_the_way;
          for (int i = 0; i < rule.on_the_way; ++i)
            on_the_way.push_back(elementwise(r, rule.name, {&kept}, grad[0].dtype, "derivative"));
          const Tensor& factor = on_the_way.empty() ? kept : on_the_way.back();
          return {elementwise(r, "mul", {&grad[0], &factor}, grad[0].dtype, "input gradient")};
        });
  }
  if (node != nullptr && rule.keeps == Keeps::Input) run.keep(*node, x);
  Tensor made = elementwise(run, rule.name, {&x}, y.dtype, "output");
  y.storage = std::move(made.storage);
  y.strides = std::move(made.strides);
  if (node != nullptr && rule.keeps == Keeps::Result) run.keep(*node, y);
  return y;
}

template <const Rule& rule>
Tensors run_unary(Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
  return {unary(run, rule, in[0])};
}

enum class Binary { Add, Sub, Mul, Div, Maximum, Minimum };

std::string_view name_of(Binary kind) {
  switch (kind) {
    case Binary::Add: return "add";
    case Binary::Sub: return "sub";
    case Binary::Mul: return "mul";
    case Binary::Div: return "div";
    case Binary::Maximum: return "maximum";
    case Binary::Minimum: return "minimum";
  }
  return "";
}

// Gradients of the two operands, the second one's first; what is undefined was not kept.
Tensors binary_backward(Runtime& r, Binary kind, Node& self, const Tensor& grad) {
  const bool of_a = self.needs(0);
  const bool of_b = self.needs(1);
  auto make = [&](std::string_view op, const Tensor& x, const Tensor& y) {
    return elementwise(r, op, {&x, &y}, promoted(x, y), "operand gradient");
  };
  Tensors back(2);
  if (kind == Binary::Add) return {of_a ? grad : Tensor{}, of_b ? grad : Tensor{}};
  if (kind == Binary::Sub) {
    if (of_b) back[1] = elementwise(r, "neg", {&grad}, grad.dtype, "operand gradient");
    if (of_a) back[0] = grad;
    return back;
  }
  const Tensor& a = self.saved[0];
  const Tensor& b = self.saved[1];
  if (kind == Binary::Mul) {
    if (of_b) back[1] = make("mul", grad, a);
    if (of_a) back[0] = make("mul", grad, b);
    return back;
  }
  if (kind == Binary::Div) {
    if (of_b) {
      const Tensor negated = elementwise(r, "neg", {&grad}, grad.dtype, "gradient negated");
      const Tensor ratio = make("div", a, b);
      const Tensor slope = make("div", ratio, b);
      back[1] = make("mul", negated, slope);
    }
    if (of_a) back[0] = make("div", grad, b);
    return back;
  }
  // maximum and minimum: grad / 2 where they are equal, 0 where the other one won.
  for (const int which : {1, 0}) {
    if (!self.needs(static_cast<std::size_t>(which))) continue;
    const Tensor equal = elementwise(r, "eq", {&a, &b}, DType::Bool, "where they are equal");
    const Tensor half = elementwise(r, "div", {&grad}, grad.dtype, "half the gradient");
    Tensor masked = elementwise(r, "where", {&equal, &half, &grad}, grad.dtype, "operand gradient");
    const Tensor other = elementwise(r, "lt", {&a, &b}, DType::Bool, "where the other won");
    back[static_cast<std::size_t>(which)] =
        elementwise(r, "masked_fill", {&masked, &other}, grad.dtype, "operand gradient");
  }
  return back;
}

Tensor binary(Runtime& run, Binary kind, const Tensor& a, const Tensor& b) {
  DType dtype = promoted(a, b);
  if (kind == Binary::Div && !is_floating(dtype)) dtype = DType::Float32;
  Tensor y = elementwise(run, name_of(kind), {&a, &b}, dtype, "output");
  Node* node = run.record_strided(name_of(kind), {&y}, {&a, &b},
                                  [kind](Runtime& r, Node& self, Tensors& grad) -> Tensors {
                                    return binary_backward(r, kind, self, grad[0]);
                                  });
  if (node == nullptr || kind == Binary::Add || kind == Binary::Sub) return y;
  const bool both = kind == Binary::Maximum || kind == Binary::Minimum;
  run.keep(*node, both || node->needs(1) ? a : Tensor{});
  run.keep(*node, both || node->needs(0) || kind == Binary::Div ? b : Tensor{});
  return y;
}

// A Python number is a tensor of the host's: nothing of it is on the device.
Tensor with_number(Runtime& run, Binary kind, const Tensor& a, bool number_first) {
  const DType dtype = kind == Binary::Div && !is_floating(a.dtype) ? DType::Float32 : a.dtype;
  const bool inverse = kind == Binary::Div && number_first;
  Tensor y = elementwise(run, name_of(kind), {&a}, dtype, "output");
  Node* node = run.record_strided(
      name_of(kind), {&y}, {&a},
      [kind, number_first, inverse](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        if (kind == Binary::Add || (kind == Binary::Sub && !number_first)) return {grad[0]};
        if (!inverse) return {elementwise(r, "mul", {&grad[0]}, grad[0].dtype, "operand gradient")};
        const Tensor& x = self.saved[0];
        const Tensor negated = elementwise(r, "neg", {&grad[0]}, grad[0].dtype, "negated");
        const Tensor ratio = elementwise(r, "div", {&x}, grad[0].dtype, "ratio");
        const Tensor slope = elementwise(r, "div", {&ratio, &x}, grad[0].dtype, "slope");
        return {elementwise(r, "mul", {&negated, &slope}, grad[0].dtype, "operand gradient")};
      });
  if (node != nullptr && inverse) run.keep(*node, a);
  return y;
}

template <Binary kind>
Tensors run_binary(Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
  return {in.size() > 1 ? binary(run, kind, in[0], in[1]) : with_number(run, kind, in[0], false)};
}

Tensors run_condition(Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
  std::vector<const Tensor*> operands;
  for (const Tensor& one : in) operands.push_back(&one);
  return {elementwise(run, "compare", operands, DType::Bool, "condition")};
}

Tensor masked_fill(Runtime& run, const Tensor& x, const Tensor& mask) {
  // A clone of x in the broadcast shape, filled in place.
  Tensor y = elementwise(run, "masked_fill", {&x, &mask}, x.dtype, "output");
  Node* node = run.record_strided(
      "masked_fill", {&y}, {&x}, [](Runtime& r, Node& self, Tensors& grad) -> Tensors {
        return {elementwise(r, "masked_fill", {&grad[0], &self.saved[0]}, grad[0].dtype,
                            "input gradient")};
      });
  if (node != nullptr) run.keep(*node, mask);
  return y;
}

Tensor where(Runtime& run, const Tensor& condition, const Tensor& a, const Tensor& b) {
  const Tensor& some = a ? a : b;
  std::vector<const Tensor*> operands{&condition};
  for (const Tensor* one : {&a, &b})
    if (*one) operands.push_back(one);
  const DType dtype = a && b ? promoted(a, b) : some.dtype;
  Tensor y = elementwise(run, "where", operands, dtype, "output");
  Node* node = run.record_strided("where", {&y}, {&a, &b},
                                  [](Runtime& r, Node& self, Tensors& grad) -> Tensors {
                                    Tensors back(2);
                                    for (const std::size_t i : {1u, 0u}) {  // other before self
                                      if (!self.needs(i)) continue;
                                      const Tensor zero = r.output({}, grad[0].dtype, "0");
                                      back[i] = elementwise(r, "where", {&self.saved[0], &grad[0]},
                                                            grad[0].dtype, "operand gradient");
                                    }
                                    return back;
                                  });
  if (node != nullptr) run.keep(*node, condition);
  return y;
}

Tensors in_place(Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
  if (in[0].storage) in[0].storage->overwrite(run.where);
  run.launch("fill_", {&in[0]});
  return {in[0]};
}

Tensors number_minus(Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
  return {with_number(run, Binary::Sub, in[0], true)};
}
Tensors number_over(Runtime& run, const Tensors& in, const Tensors&, const Attributes&) {
  return {with_number(run, Binary::Div, in[0], true)};
}

}  // namespace

const Operator kNeg{"neg", run_unary<kNegRule>};
const Operator kExp{"exp", run_unary<kExpRule>};
const Operator kLog{"log", run_unary<kLogRule>};
const Operator kCos{"cos", run_unary<kCosRule>};
const Operator kSin{"sin", run_unary<kSinRule>};
const Operator kSqrt{"sqrt", run_unary<kSqrtRule>};
const Operator kRsqrt{"rsqrt", run_unary<kRsqrtRule>};
const Operator kAbs{"abs", run_unary<kAbsRule>};
const Operator kPow{"pow", run_unary<kPowRule>};
const Operator kLogicalNot{"logical_not", run_unary<kNotRule>};
const Operator kIsInf{"isinf", run_unary<kIsInfRule>};
const Operator kAddTensors{"add", run_binary<Binary::Add>};
const Operator kSub{"sub", run_binary<Binary::Sub>};
const Operator kMul{"mul", run_binary<Binary::Mul>};
const Operator kDiv{"div", run_binary<Binary::Div>};
const Operator kMaximum{"maximum", run_binary<Binary::Maximum>};
const Operator kMinimum{"minimum", run_binary<Binary::Minimum>};
const Operator kNumberMinus{"rsub", number_minus};
const Operator kNumberOver{"reciprocal", number_over};
const Operator kCompare{"compare", run_condition};
const Operator kLogicalAnd{"logical_and", run_condition};
const Operator kLogicalOr{"logical_or", run_condition};
FORERUN_OPERATOR(kMaskedFill, "masked_fill", {masked_fill(run, in[0], in[1])});
FORERUN_OPERATOR(kWhere, "where", {where(run, in[0], in[1], in[2])});
const Operator kFillInPlace{"fill_", in_place};
const Operator kCopyInPlace{"copy_", in_place};

}  // namespace forerun::ops
