// T5 (transformers 5.24, models/t5/modeling_t5.py).
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "estimator/graph/model_catalog.h"
#include "models/shared/encoder.h"
#include "models/shared/huggingface.h"
#include "models/shared/masked.h"
#include "models/shared/modules.h"
#include "models/t5/relative_bias.h"

namespace forerun::models {
namespace {

namespace fn = graph::fn;

struct Config {
  std::int64_t vocab = 0, width = 0, head = 0, inner = 0, heads = 0, buckets = 0;
  std::int64_t encoder_layers = 0, decoder_layers = 0;
  std::string act;
  bool gated = false, scales = true, cache = true;
  double dropout = 0;
};

// "relu", "gated-gelu": the activation, and whether its result is multiplied by a second one.
void read_feed_forward(Fields& fields, Config& c) {
  const std::string kind = fields.word("feed_forward_proj", "relu");
  c.gated = kind.rfind("gated-", 0) == 0;
  c.act = kind == "gated-gelu" ? "gelu_new" : c.gated ? kind.substr(6) : kind;
  if (!known_activation(c.act))
    fields.fail("feed_forward_proj", "feed_forward_proj '" + kind + "' is not modelled",
                "relu, gated-gelu");
  fields.neutral({"dense_act_fn", "is_gated_act"});
}

Config read(Fields& fields) {
  Config c;
  c.vocab = fields.integer("vocab_size", 32128);
  c.width = fields.integer("d_model", 512);
  c.head = fields.integer("d_kv", 64);
  c.inner = fields.integer("d_ff", 2048);
  c.encoder_layers = fields.count("num_layers", 6);
  c.decoder_layers = fields.count("num_decoder_layers", c.encoder_layers);
  c.heads = fields.integer("num_heads", 8);
  c.buckets = fields.integer("relative_attention_num_buckets", 32, 4);
  c.dropout = probability(fields, "dropout_rate", 0.1);
  c.cache = fields.flag("use_cache", true);
  // Files of before 5 say it by tie_word_embeddings; the weights are tied either way.
  c.scales = fields.flag("scale_decoder_outputs", fields.flag("tie_word_embeddings", true));
  read_feed_forward(fields, c);
  if (!fields.has("decoder_start_token_id"))
    fields.fail("decoder_start_token_id",
                "the configuration has no 'decoder_start_token_id': transformers stops where it "
                "shifts the labels",
                "decoder_start_token_id: 0");
  fields.neutral({"layer_norm_epsilon", "relative_attention_max_distance", "classifier_dropout",
                  "n_positions"});
  return c;
}

// T5LayerNorm: x itself is scaled, not its copy in float.
struct Norm {
  std::string name;
  Name weight;
  Norm() = default;
  Norm(Builder& b, std::string called, std::int64_t size) : name(std::move(called)) {
    const Builder::Scope scope(b, name);
    weight = b.weight("weight", {size});
  }
  Name operator()(const Name& x) const {
    if (!x) return {};
    const Builder::Scope scope(x.builder(), name);
    const Name variance = fn::mean(fn::pow(fn::to(x, DType::Float32), 2), {-1}, true);
    Name hidden = fn::mul(x, fn::rsqrt(fn::add_number(variance)));
    if (size_bytes(weight.dtype()) == 2) hidden = fn::to(std::move(hidden), weight.dtype());
    return fn::mul(weight, std::move(hidden));
  }
};

class Attention {
 public:
  Attention() = default;
  Attention(Builder& b, const Config& c, std::string name, bool biased)
      : b_(&b), c_(&c), name_(std::move(name)) {
    const Builder::Scope scope(b, name_);
    const std::int64_t inner = c.heads * c.head;
    q_ = {b, "q", c.width, inner, false};
    k_ = {b, "k", c.width, inner, false};
    v_ = {b, "v", c.width, inner, false};
    o_ = {b, "o", inner, c.width, false};
    if (biased) bias_ = {b, "relative_attention_bias", c.buckets, c.heads};
  }

  // `memory`: what keys and values are made of, the states themselves or the encoder's. The
  // position bias is made where there is none yet, and handed on to the next layer.
  Name operator()(const Name& states, const Name& memory, Name& position_bias, bool decodes,
                  KeyValueCache* cache) const {
    const Builder::Scope scope(*b_, name_);
    const bool crosses = &states != &memory;
    Name q = in_heads(q_, states);
    Name k = in_heads(k_, memory);
    Name v = in_heads(v_, memory);
    if (cache != nullptr) cache->update(k, v);
    if (!position_bias) {
      position_bias = bias_.weight
                          ? relative_bias(*b_, bias_, states.size(1), k.size(2), !decodes)
                          : fn::zeros(*b_, {1, c_->heads, states.size(1), k.size(2)}, q.dtype());
    }
    Name out;
    {
      const Name mask = biased_mask(position_bias, decodes && !crosses);
      out = masked_sdpa(*b_, q, k, v, c_->dropout, mask);
    }
    out = merge_heads(out);
    out = o_(out);
    graph::leave(q, k, v);
    return out;
  }

 private:
  Name in_heads(const Linear& projection, const Name& x) const {
    Name y = projection(x);
    return fn::transpose(fn::reshape(std::move(y), {x.size(0), x.size(1), -1, c_->head}), 1, 2);
  }
  // create_position_bias_mask (integrations/sdpa_attention.py)
  Name biased_mask(const Name& bias, bool causal) const {
    if (!causal || bias.size(2) == 1) return fn::contiguous(bias);
    Name allowed;
    {
      const Name rows = fn::unsqueeze(fn::arange(*b_, bias.size(2)), 1);
      const Name columns = fn::unsqueeze(fn::arange(*b_, bias.size(3)), 0);
      allowed = fn::compare(rows, columns);
    }
    allowed = fn::reshape(std::move(allowed), {1, 1, bias.size(2), bias.size(3)});
    Name masked;
    {
      const Name least = fn::scalar(*b_, bias.dtype());  // a Python number, as torch.where has it
      masked = fn::where(allowed, bias, least);
    }
    return fn::contiguous(masked);
  }

  Builder* b_ = nullptr;
  const Config* c_ = nullptr;
  std::string name_;
  Linear q_, k_, v_, o_;
  Embedding bias_;
};

// T5LayerSelfAttention, T5LayerCrossAttention
class AttentionLayer {
 public:
  AttentionLayer() = default;
  AttentionLayer(Builder& b, const Config& c, std::string name, const char* attention, bool biased)
      : b_(&b), c_(&c), name_(std::move(name)) {
    const Builder::Scope scope(b, name_);
    attention_ = {b, c, attention, biased};
    norm_ = {b, "layer_norm", c.width};
  }
  explicit operator bool() const { return b_ != nullptr; }

  // Without `memory`, attention of the states to themselves.
  Name operator()(const Name& hidden, const Name* memory, Name& position_bias, bool decodes,
                  KeyValueCache* cache) const {
    const Builder::Scope scope(*b_, name_);
    const Name normed = norm_(hidden);
    Name out =
        attention_(normed, memory != nullptr ? *memory : normed, position_bias, decodes, cache);
    return fn::add(hidden, fn::dropout(out, c_->dropout));
  }

 private:
  Builder* b_ = nullptr;
  const Config* c_ = nullptr;
  std::string name_;
  Attention attention_;
  Norm norm_;
};

// T5LayerFF
class FeedForward {
 public:
  FeedForward() = default;
  FeedForward(Builder& b, const Config& c, std::string name)
      : b_(&b), c_(&c), name_(std::move(name)) {
    const Builder::Scope scope(b, name_);
    wi_ = {b, c.gated ? "DenseReluDense.wi_0" : "DenseReluDense.wi", c.width, c.inner, false};
    if (c.gated) gate_ = {b, "DenseReluDense.wi_1", c.width, c.inner, false};
    wo_ = {b, "DenseReluDense.wo", c.inner, c.width, false};
    norm_ = {b, "layer_norm", c.width};
  }

  Name operator()(const Name& hidden) const {
    const Builder::Scope scope(*b_, name_);
    Name forwarded = norm_(hidden);
    forwarded = dense(forwarded);
    return fn::add(hidden, fn::dropout(forwarded, c_->dropout));
  }

 private:
  Name dense(const Name& x) const {
    Name hidden = wi_(x);
    hidden = activation(*b_, c_->act, hidden);
    Name activated, linear;
    if (c_->gated) {
      activated = std::move(hidden);
      linear = gate_(x);
      hidden = fn::mul(activated, linear);
    }
    hidden = fn::dropout(hidden, c_->dropout);
    hidden = fn::to(hidden, wo_.weight.dtype());
    Name out = wo_(hidden);
    graph::leave(activated, linear);
    return out;
  }

  Builder* b_ = nullptr;
  const Config* c_ = nullptr;
  std::string name_;
  Linear wi_, gate_, wo_;
  Norm norm_;
};

class Block {
 public:
  Block(Builder& b, const Config& c, std::string name, bool decodes, bool biased)
      : b_(b), decodes_(decodes), name_(std::move(name)) {
    const Builder::Scope scope(b, name_);
    self_ = {b, c, "layer.0", "SelfAttention", biased};
    if (decodes) cross_ = {b, c, "layer.1", "EncDecAttention", false};
    feed_forward_ = {b, c, decodes ? "layer.2" : "layer.1"};
  }

  // Shared by the layers of a stack: the first one makes them.
  struct Biases {
    Name self, cross;
  };
  Name operator()(Name hidden, const Name* memory, Biases& biases, KeyValueCache* cache) const {
    const Builder::Scope scope(b_, name_);
    hidden = self_(hidden, nullptr, biases.self, decodes_, cache);
    if (cross_) hidden = cross_(hidden, memory, biases.cross, decodes_, cache);
    return feed_forward_(hidden);
  }

 private:
  Builder& b_;
  bool decodes_;
  std::string name_;
  AttentionLayer self_, cross_;
  FeedForward feed_forward_;
};

// T5Stack
class Stack {
 public:
  Stack(Builder& b, const Config& c, std::string name, bool decodes)
      : b_(b), c_(c), name_(std::move(name)) {
    const Builder::Scope scope(b, name_);
    embed_tokens = {b, "embed_tokens", c.vocab, c.width};
    const std::int64_t layers = decodes ? c.decoder_layers : c.encoder_layers;
    for (std::int64_t i = 0; i < layers; ++i)
      blocks_.emplace_back(b, c, "block." + std::to_string(i), decodes, i == 0);
    norm_ = {b, "final_layer_norm", c.width};
  }

  Name operator()(const Name& ids, const Name* memory, KeyValueCache* cache) const {
    const Builder::Scope scope(b_, name_);
    const Name embedded = embed_tokens(ids);
    Block::Biases biases;
    Name hidden = fn::dropout(embedded, c_.dropout);
    for (const Block& block : blocks_) {
      Name next = block(hidden, memory, biases, cache);
      hidden = std::move(next);
    }
    hidden = norm_(hidden);
    return fn::dropout(hidden, c_.dropout);
  }
  Embedding embed_tokens;

 private:
  Builder& b_;
  const Config& c_;
  std::string name_;
  std::vector<Block> blocks_;
  Norm norm_;
};

// _shift_right
Name shifted_right(Builder& b, const Name& labels) {
  Name shifted = fn::zeros(b, labels.shape(), DType::Int64);
  {
    const Name most = fn::clone(fn::slice(labels, 1, 0, labels.size(1) - 1));
    fn::copy(fn::slice(shifted, 1, 1, labels.size(1)), most);
  }
  fn::fill(fn::slice(shifted, 1, 0, 1));
  const Name ignored = fn::compare_number(shifted);
  return shifted;
}

Name build(Builder& b, const Spec& spec, Name) {
  Fields fields(spec.source->config);
  const Config c = read(fields);
  if (!begin(b, fields, spec, {"T5ForConditionalGeneration"}, Task::Seq2SeqLm)) return {};
  if (spec.checkpoint)
    b.fail(error_at({spec.path, {}, {}}, "checkpoints of T5's blocks are not modelled",
                    "no checkpoint"));
  const std::int64_t length = text_length(b, spec, 0);
  const Embedding shared(b, "shared", c.vocab, c.width);
  Stack encoder(b, c, "encoder", false);
  Stack decoder(b, c, "decoder", true);
  Linear head(b, "lm_head", c.width, c.vocab, false);
  for (Name* one : {&encoder.embed_tokens.weight, &decoder.embed_tokens.weight, &head.weight})
    tie(b, *one, shared.weight);

  b.forward_begins();
  const Name ids = labelled_tokens(b, spec, length);
  const Name memory = encoder(ids, nullptr, nullptr);
  const Name decoder_ids = shifted_right(b, ids);
  KeyValueCache cache(b, c.cache);
  const Name decoded = decoder(decoder_ids, &memory, &cache);
  const Name output = c.scales ? fn::mul_number(decoded) : decoded;
  const Name logits = head(output);
  return token_loss(b, logits, ids);
}

}  // namespace

extern const Model t5{[](const ModelSource& source) { return is_type(source, {"t5"}); }, build};
}  // namespace forerun::models
