#include "models/t5/relative_bias.h"

#include <utility>

#include "estimator/ops/pointwise.h"

namespace forerun::models {
namespace {

namespace fn = graph::fn;

Name minimum(Builder& b, const Name& x, const Name& y) {
  return b.apply_one(ops::kMinimum, {x, y});
}

Name at_most_zero(Builder& b, const Name& x) {
  const Name zeros = fn::zeros(b, x.shape(), DType::Int64);
  return minimum(b, x, zeros);
}

// max_exact + (log(distance / max_exact) / log(max_distance / max_exact) * ...).to(long)
Name logarithmic(Builder& b, const Name& distance) {
  Name x = fn::to(distance, DType::Float32);
  x = fn::div_number(std::move(x));
  x = b.apply_one(ops::kLog, {std::exchange(x, {})});
  x = fn::div_number(std::move(x));
  x = fn::mul_number(std::move(x));
  Name bucket = fn::to(std::move(x), DType::Int64);
  bucket = fn::add_number(std::move(bucket));
  return minimum(b, bucket, fn::zeros(b, bucket.shape(), DType::Int64));
}

// _relative_position_bucket
Name buckets_of(Builder& b, const Name& relative, bool bidirectional) {
  Name buckets, distance;
  if (bidirectional) {
    Name ahead = fn::to(fn::compare_number(relative), DType::Int64);
    buckets = fn::add_number(fn::mul_number(std::move(ahead)));
    distance = b.apply_one(ops::kAbs, {relative});
  } else {
    Name behind = at_most_zero(b, relative);
    distance = fn::neg(std::move(behind));
  }
  const Name small = fn::compare_number(distance);
  const Name large = logarithmic(b, distance);
  Name chosen = fn::where(small, distance, large);
  if (!bidirectional) return fn::add_number(std::move(chosen));
  fn::copy(buckets, chosen);  // buckets += chosen
  return buckets;
}

}  // namespace

Name relative_bias(Builder& b, const Embedding& table, std::int64_t queries, std::int64_t keys,
                   bool bidirectional) {
  const Name context = fn::add_number(fn::unsqueeze(fn::arange(b, queries), 1));
  const Name memory = fn::unsqueeze(fn::arange(b, keys), 0);
  const Name relative = fn::sub(memory, context);
  const Name buckets = buckets_of(b, relative, bidirectional);
  const Name values = table(buckets);
  return fn::unsqueeze(fn::permute(values, {2, 0, 1}), 0);
}

}  // namespace forerun::models
