// Modules that many families are made of: each makes its parameters where the model is made and
// runs like its forward().
#pragma once

#include <string>

#include "estimator/graph/builder.h"
#include "estimator/graph/functional.h"

namespace forerun::models {

using graph::Builder;
using graph::Name;

struct Linear {
  std::string name;
  Name weight, bias;
  Linear() = default;
  Linear(Builder& b, std::string called, std::int64_t in, std::int64_t out, bool with_bias);
  Name operator()(Name x) const;
};

// transformers' pytorch_utils.Conv1D: a linear layer with its weight the other way round.
struct Conv1D {
  std::string name;
  Name weight, bias;
  Conv1D() = default;
  Conv1D(Builder& b, std::string called, std::int64_t out, std::int64_t in);
  Name operator()(Name x) const;
};

struct Embedding {
  std::string name;
  Name weight;
  Embedding() = default;
  Embedding(Builder& b, std::string called, std::int64_t rows, std::int64_t columns);
  Name operator()(Name indices) const;
};

struct LayerNorm {
  std::string name;
  Name weight, bias;
  LayerNorm() = default;
  LayerNorm(Builder& b, std::string called, std::int64_t size, bool with_bias = true);
  Name operator()(Name x) const;
};

// The RMS norm of Llama and its kin, in float: weight * (x * rsqrt(mean(x^2) + eps)).to(dtype).
// Gemma's multiplies by (1 + weight) in float and casts at the end.
struct RmsNorm {
  enum class Kind { Llama, Gemma };
  std::string name;
  Name weight;
  Kind kind = Kind::Llama;
  RmsNorm() = default;
  RmsNorm(Builder& b, std::string called, std::int64_t size, Kind of = Kind::Llama);
  Name operator()(Name x) const;
};

// ACT2FN of transformers, by the configuration's word; unknown words fail with their place.
Name activation(Builder& b, const std::string& word, const Name& x);
bool known_activation(const std::string& word);
std::vector<std::string> activations();

// torch.nn.functional.cross_entropy of logits [rows, classes] after ForCausalLMLoss's shift of the
// labels.
Name causal_lm_loss(Builder& b, Name logits, const Name& labels);

// scaled_dot_product_attention of q, k, v [batch, heads, length, head], as transformers'
// sdpa_attention_forward calls it without a mask; gives [batch, length, heads, head].
struct Attention {
  double dropout = 0;
  bool causal = true;
};
Name sdpa(Builder& b, Name q, Name k, Name v, Attention with);
// What sdpa gives as [batch, length, heads * head]: reshape(...).contiguous().
Name merge_heads(Name x);

}  // namespace forerun::models
