#include "models/shared/modules.h"

#include <algorithm>
#include <utility>

namespace forerun::models {

namespace fn = graph::fn;

Linear::Linear(Builder& b, std::string called, std::int64_t in, std::int64_t out, bool with_bias)
    : name(std::move(called)) {
  const Builder::Scope scope(b, name);
  weight = b.weight("weight", {out, in});
  if (with_bias) bias = b.weight("bias", {out});
}

Name Linear::operator()(Name x) const {
  if (!x) return {};
  const Builder::Scope scope(x.builder(), name);
  return fn::linear(std::move(x), weight, bias);
}

Conv1D::Conv1D(Builder& b, std::string called, std::int64_t out, std::int64_t in)
    : name(std::move(called)) {
  const Builder::Scope scope(b, name);
  weight = b.weight("weight", {in, out});
  bias = b.weight("bias", {out});
}

Name Conv1D::operator()(Name x) const {
  if (!x) return {};
  const Builder::Scope scope(x.builder(), name);
  Shape size = x.shape();
  size.back() = weight.size(1);
  Name y = fn::addmm(bias, fn::reshape(x, {-1, x.size(-1)}), weight);
  return fn::reshape(std::move(y), std::move(size));
}

Embedding::Embedding(Builder& b, std::string called, std::int64_t rows, std::int64_t columns)
    : name(std::move(called)) {
  const Builder::Scope scope(b, name);
  weight = b.weight("weight", {rows, columns});
}

Name Embedding::operator()(Name indices) const {
  if (!indices) return {};
  const Builder::Scope scope(indices.builder(), name);
  return fn::embedding(std::move(indices), weight);
}

LayerNorm::LayerNorm(Builder& b, std::string called, std::int64_t size, bool with_bias)
    : name(std::move(called)) {
  const Builder::Scope scope(b, name);
  weight = b.weight("weight", {size});
  if (with_bias) bias = b.weight("bias", {size});
}

Name LayerNorm::operator()(Name x) const {
  if (!x) return {};
  const Builder::Scope scope(x.builder(), name);
  return fn::layer_norm(std::move(x), weight, bias);
}

RmsNorm::RmsNorm(Builder& b, std::string called, std::int64_t size, Kind of)
    : name(std::move(called)), kind(of) {
  const Builder::Scope scope(b, name);
  weight = b.weight("weight", {size});
}

Name RmsNorm::operator()(Name x) const {
  if (!x) return {};
  const Builder::Scope scope(x.builder(), name);
  if (kind == Kind::Gemma) {
    Name wide = fn::to(x, DType::Float32);
    Name normed;
    {
      Name mean = fn::mean(fn::pow(wide, 2), {-1}, true);
      normed = fn::mul(wide, fn::rsqrt(fn::add_number(std::move(mean))));
    }
    wide.reset();
    Name factor = fn::add_number(fn::to(weight, DType::Float32));
    normed = fn::mul(normed, std::move(factor));
    return fn::to(std::move(normed), x.dtype());
  }
  const DType own = x.dtype();
  Name hidden = fn::to(x, DType::Float32);
  Name variance = fn::mean(fn::pow(hidden, 2), {-1}, true);
  hidden = fn::mul(hidden, fn::rsqrt(fn::add_number(variance)));
  return fn::mul(weight, fn::to(hidden, own));
}

namespace {

// 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), written out in Python.
Name new_gelu(const Name& x) {
  Name half = fn::mul_number(x);
  Name cubed = fn::mul_number(fn::pow(x, 3));
  Name inner = fn::add(x, std::move(cubed));
  Name tanh = fn::tanh(fn::mul_number(std::move(inner)));
  return fn::mul(std::move(half), fn::add_number(std::move(tanh)));
}

struct Word {
  const char* word;
  Name (*run)(const Name&);
};
const Word kWords[] = {
    {"gelu", [](const Name& x) { return fn::gelu(x); }},
    {"gelu_pytorch_tanh", [](const Name& x) { return fn::gelu(x); }},
    {"gelu_new", new_gelu},
    {"silu", [](const Name& x) { return fn::silu(x); }},
    {"swish", [](const Name& x) { return fn::silu(x); }},
    {"relu", [](const Name& x) { return fn::relu(x); }},
    {"tanh", [](const Name& x) { return fn::tanh(x); }},
    {"quick_gelu", [](const Name& x) { return fn::mul(x, fn::sigmoid(fn::mul_number(x))); }},
};

}  // namespace

bool known_activation(const std::string& word) {
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](const Word& one) { return one.word == word; });
}

std::vector<std::string> activations() {
  std::vector<std::string> made;
  for (const Word& one : kWords) made.emplace_back(one.word);
  return made;
}

Name activation(Builder& b, const std::string& word, const Name& x) {
  const Builder::Scope scope(b, word);
  for (const Word& one : kWords)
    if (word == one.word) return one.run(x);
  b.fail(error("the activation '" + word + "' is not modelled"));
  return {};
}

Name causal_lm_loss(Builder& b, Name logits, const Name& labels) {
  const Builder::Scope scope(b, "loss");
  logits = fn::to(std::move(logits), DType::Float32);
  // F.pad(labels, (0, 1)), then all but the first of each row
  Name padded = fn::zeros(b, {labels.size(0), labels.size(1) + 1}, DType::Int64);
  Name shifted = fn::contiguous(fn::slice(padded, 1, 1, padded.size(1)));
  logits = fn::reshape(logits, {-1, logits.size(-1)});
  shifted = fn::reshape(shifted, {-1});
  return fn::cross_entropy(logits, shifted);
}

}  // namespace forerun::models
