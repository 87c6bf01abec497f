#include "estimator/graph/functional.h"

#include <utility>

#include "estimator/graph/builder.h"
#include "estimator/ops/aggregate.h"
#include "estimator/ops/factory.h"
#include "estimator/ops/matmul.h"
#include "estimator/ops/pointwise.h"
#include "estimator/ops/view.h"

namespace forerun::graph::fn {
namespace {

// An operand that is None because an error came before: nothing is done any more.
Builder* builder_of(const std::vector<Name>& operands) {
  for (const Name& one : operands)
    if (one) return &one.builder();
  return nullptr;
}

std::vector<Name> call_all(const ops::Operator& op, std::vector<Name> operands,
                           ops::Attributes with = {}) {
  Builder* builder = builder_of(operands);
  if (builder == nullptr || builder->failed()) return {};
  return builder->apply(op, std::move(operands), std::move(with));
}

Name call(const ops::Operator& op, std::vector<Name> operands, ops::Attributes with = {}) {
  auto all = call_all(op, std::move(operands), std::move(with));
  return all.empty() ? Name{} : std::move(all[0]);
}

// A list that takes over its operands instead of copying them.
template <class... Names>
std::vector<Name> list(Names&&... names) {
  std::vector<Name> made;
  (made.push_back(std::forward<Names>(names)), ...);
  return made;
}

}  // namespace

Name reshape(Name x, Shape to) {
  return call(ops::kReshape, list(std::move(x)), {.shape = std::move(to)});
}
Name contiguous(Name x) { return call(ops::kContiguous, list(std::move(x))); }
Name clone(Name x) { return call(ops::kClone, list(std::move(x))); }
Name transpose(Name x, std::int64_t a, std::int64_t b) {
  return call(ops::kTranspose, list(std::move(x)), {.dim = a, .other_dim = b});
}
Name permute(Name x, Shape order) {
  return call(ops::kPermute, list(std::move(x)), {.shape = std::move(order)});
}
Name expand(Name x, Shape to) {
  return call(ops::kExpand, list(std::move(x)), {.shape = std::move(to)});
}
Name unsqueeze(Name x, std::int64_t dim) {
  return call(ops::kUnsqueeze, list(std::move(x)), {.dim = dim});
}
Name squeeze(Name x, std::int64_t dim) {
  return call(ops::kSqueeze, list(std::move(x)), {.dim = dim});
}
Name slice(Name x, std::int64_t dim, std::int64_t begin, std::int64_t end, std::int64_t step) {
  return call(ops::kSlice, list(std::move(x)), {.shape = {begin, end, step}, .dim = dim});
}
Name select(Name x, std::int64_t dim) {
  return call(ops::kSelect, list(std::move(x)), {.dim = dim});
}
std::vector<Name> split(Name x, Shape sizes, std::int64_t dim) {
  return call_all(ops::kSplit, list(std::move(x)), {.shape = std::move(sizes), .dim = dim});
}
std::vector<Name> chunk(Name x, std::int64_t pieces, std::int64_t dim) {
  const std::int64_t size = x.size(static_cast<int>(dim));
  const std::int64_t piece = (size + pieces - 1) / pieces;
  Shape sizes;
  for (std::int64_t at = 0; at < size; at += piece) sizes.push_back(std::min(piece, size - at));
  return split(std::move(x), std::move(sizes), dim);
}
std::vector<Name> unbind(Name x, std::int64_t dim) {
  return call_all(ops::kUnbind, list(std::move(x)), {.dim = dim});
}
Name to(Name x, DType dtype) {
  if (!x || x.dtype() == dtype) return x;
  return call(ops::kTo, list(std::move(x)), {.dtype = dtype});
}
Name detach(Name x) { return call(ops::kDetach, list(std::move(x))); }
Name cat(std::vector<Name> parts, std::int64_t dim) {
  return call(ops::kCat, std::move(parts), {.dim = dim});
}
Name stack(std::vector<Name> parts, std::int64_t dim) {
  return call(ops::kStack, std::move(parts), {.dim = dim});
}

#define FORERUN_ONE(name, op) \
  Name name(Name a) { return call(ops::op, list(std::move(a))); }
#define FORERUN_TWO(name, op) \
  Name name(Name a, Name b) { return call(ops::op, list(std::move(a), std::move(b))); }

FORERUN_TWO(add, kAddTensors)
FORERUN_TWO(sub, kSub)
FORERUN_TWO(mul, kMul)
FORERUN_TWO(div, kDiv)
FORERUN_ONE(add_number, kAddTensors)
FORERUN_ONE(sub_number, kSub)
FORERUN_ONE(mul_number, kMul)
FORERUN_ONE(div_number, kDiv)
FORERUN_ONE(number_minus, kNumberMinus)
FORERUN_ONE(number_over, kNumberOver)
FORERUN_ONE(neg, kNeg)
FORERUN_ONE(exp, kExp)
FORERUN_ONE(cos, kCos)
FORERUN_ONE(sin, kSin)
FORERUN_ONE(sqrt, kSqrt)
FORERUN_ONE(rsqrt, kRsqrt)
FORERUN_ONE(tanh, kTanh)
FORERUN_ONE(sigmoid, kSigmoid)
FORERUN_ONE(silu, kSilu)
FORERUN_ONE(gelu, kGelu)
FORERUN_ONE(relu, kRelu)
FORERUN_TWO(compare, kCompare)
FORERUN_ONE(compare_number, kCompare)
FORERUN_TWO(logical_and, kLogicalAnd)
FORERUN_TWO(masked_fill, kMaskedFill)
FORERUN_TWO(matmul, kMatmul)
FORERUN_TWO(bmm, kBmm)

#undef FORERUN_ONE
#undef FORERUN_TWO

Name pow(Name a, double exponent) {
  return call(ops::kPow, list(std::move(a)), {.value = exponent});
}
Name where(Name condition, Name a, Name b) {
  return call(ops::kWhere, list(std::move(condition), std::move(a), std::move(b)));
}
Name dropout(Name x, double p) {
  if (p == 0) return x;
  return call(ops::kDropout, list(std::move(x)), {.p = p});
}

Name sum(Name x, Shape dims, bool keepdim) {
  return call(ops::kSum, list(std::move(x)), {.shape = std::move(dims), .keepdim = keepdim});
}
Name mean(Name x, Shape dims, bool keepdim) {
  return call(ops::kMean, list(std::move(x)), {.shape = std::move(dims), .keepdim = keepdim});
}
Name cumsum(Name x, std::int64_t dim) {
  return call(ops::kCumsum, list(std::move(x)), {.dim = dim});
}
Name softmax(Name x, std::int64_t dim, std::optional<DType> dtype) {
  return call(ops::kSoftmaxOver, list(std::move(x)), {.dim = dim, .dtype = dtype});
}
Name log_softmax(Name x, std::int64_t dim, std::optional<DType> dtype) {
  return call(ops::kLogSoftmaxOver, list(std::move(x)), {.dim = dim, .dtype = dtype});
}

Name linear(Name x, Name weight, Name bias) {
  return call(ops::kLinearStrided, list(std::move(x), std::move(weight), std::move(bias)));
}
Name addmm(Name bias, Name a, Name b) {
  return call(ops::kAddmm, list(std::move(bias), std::move(a), std::move(b)));
}

Name arange(Builder& b, std::int64_t count, DType dtype) { return zeros(b, {count}, dtype); }
Name zeros(Builder& b, Shape shape, DType dtype) {
  return b.apply_one(ops::kMake, {}, {.shape = std::move(shape), .dtype = dtype});
}
Name scalar(Builder& b, DType dtype) { return zeros(b, {}, dtype); }

void fill(const Name& x) { call(ops::kFillInPlace, {x}); }
void copy(const Name& into, const Name& from) { call(ops::kCopyInPlace, {into, from}); }

Name embedding(Name indices, Name weight) {
  return call(ops::kEmbeddingOf, list(std::move(indices), std::move(weight)));
}
Name layer_norm(Name x, Name weight, Name bias) {
  return call(ops::kLayerNormOf, list(std::move(x), std::move(weight), std::move(bias)));
}
Name cross_entropy(Name logits, Name target) {
  return call(ops::kCrossEntropy, list(std::move(logits), std::move(target)));
}

}  // namespace forerun::graph::fn
