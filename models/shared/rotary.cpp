#include "models/shared/rotary.h"

#include <utility>

namespace forerun::models {

namespace fn = graph::fn;

RotaryEmbedding::RotaryEmbedding(Builder& b, std::string name, std::int64_t dim)
    : b_(b), name_(std::move(name)), dim_(dim) {
  const Builder::Scope scope(b, name_);
  inv_freq_ = b.keep_as_state("inv_freq", frequencies());
  original_ = b.keep_as_state("original_inv_freq", fn::clone(inv_freq_));
}

Name RotaryEmbedding::frequencies() const {
  Name exponent = fn::arange(b_, (dim_ + 1) / 2, DType::Float32);
  exponent = fn::div_number(std::move(exponent));
  Name power = fn::zeros(b_, exponent.shape(), DType::Float32);
  fn::scalar(b_, DType::Float64);  // the base, for the time of the kernel
  exponent.reset();
  // 1.0 / x: reciprocal, then times the number
  Name inverse = fn::zeros(b_, power.shape(), DType::Float32);
  Name made = fn::mul_number(std::move(inverse));
  return made;
}

void RotaryEmbedding::initialise() const {
  const Builder::Scope scope(b_, name_);
  Name again = frequencies();
  fn::copy(inv_freq_, again);
  fn::copy(original_, again);
}

Rotary RotaryEmbedding::operator()(const Name& x, const Name& positions) const {
  const Builder::Scope scope(b_, name_);
  Name freqs = fn::mul(fn::to(fn::unsqueeze(positions, -1), DType::Float32), inv_freq_);
  Name emb = fn::cat({freqs, freqs}, -1);
  Name cos = fn::mul_number(fn::cos(emb));
  Name sin = fn::mul_number(fn::sin(emb));
  Rotary made;
  made.cos = fn::to(cos, x.dtype());
  made.sin = fn::to(sin, x.dtype());
  return made;
}

Name rotate_half(const Name& x) {
  const std::int64_t half = x.size(-1) / 2;
  Name first = fn::slice(x, -1, 0, half);
  Name second = fn::slice(x, -1, half, x.size(-1));
  Name turned = fn::neg(second);
  return fn::cat({std::move(turned), first}, -1);
}

namespace {

Name rotated(const Name& x, const Name& cos, const Name& sin) {
  Name straight = fn::mul(x, cos);
  Name turned = rotate_half(x);
  turned = fn::mul(std::move(turned), sin);
  return fn::add(std::move(straight), std::move(turned));
}

}  // namespace

void apply_rotary(Name& query, Name& key, const Rotary& rotary) {
  Name cos = fn::unsqueeze(rotary.cos, 1);
  Name sin = fn::unsqueeze(rotary.sin, 1);
  Name q = rotated(query, cos, sin);
  Name k = rotated(key, cos, sin);
  query = std::move(q);
  key = std::move(k);
}

}  // namespace forerun::models
