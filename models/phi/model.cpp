// Phi (transformers 5.24, models/phi/modeling_phi.py): attention and feed-forward side by side,
// rotary positions over a part of each head.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "estimator/graph/model_catalog.h"
#include "models/shared/huggingface.h"
#include "models/shared/modules.h"
#include "models/shared/rotary.h"

namespace forerun::models {
namespace {

namespace fn = graph::fn;

struct Config {
  std::int64_t vocab = 0, width = 0, inner = 0, layers = 0, heads = 0, kv_heads = 0, head = 0;
  std::int64_t rotated = 0;
  std::string act;
  double attention_dropout = 0, embd_drop = 0, resid_drop = 0;
  bool qk_norm = false, cache = true, tie = false;
};

double rotated_part(Fields& fields) {
  const double direct = fields.number("partial_rotary_factor", 0.5);
  const ConfigValue* parameters = fields.object("rope_parameters");
  if (parameters == nullptr) return direct;
  Fields inner(*parameters);
  return inner.number("partial_rotary_factor", direct);
}

Config read(Fields& fields) {
  Config c;
  c.vocab = fields.integer("vocab_size", 51200);
  c.width = fields.integer("hidden_size", 2048);
  c.inner = fields.integer("intermediate_size", 8192);
  c.layers = fields.count("num_hidden_layers", 24);
  c.heads = fields.integer("num_attention_heads", 32);
  c.kv_heads = fields.maybe_integer("num_key_value_heads").value_or(c.heads);
  heads_divide(fields, "hidden_size", c.width, c.heads);
  c.head = c.width / c.heads;
  const double part = rotated_part(fields);
  if (!(part > 0 && part <= 1))
    fields.fail("partial_rotary_factor", fmt::format("partial_rotary_factor is {}", part),
                "a number above 0 and at most 1");
  c.rotated = static_cast<std::int64_t>(static_cast<double>(c.head) * part);
  c.act = activation_word(fields, "hidden_act", "gelu_new");
  c.attention_dropout = probability(fields, "attention_dropout", 0);
  c.embd_drop = probability(fields, "embd_pdrop", 0);
  c.resid_drop = probability(fields, "resid_pdrop", 0);
  c.qk_norm = fields.flag("qk_layernorm", false);
  c.cache = fields.flag("use_cache", true);
  c.tie = fields.flag("tie_word_embeddings", false);
  fields.neutral({"max_position_embeddings", "rope_theta", "rope_scaling"});
  return c;
}

class Layer {
 public:
  Layer(Builder& b, const Config& c, std::string name) : b_(b), c_(c), name_(std::move(name)) {
    const Builder::Scope scope(b, name_);
    q_ = {b, "self_attn.q_proj", c.width, c.heads * c.head, true};
    k_ = {b, "self_attn.k_proj", c.width, c.kv_heads * c.head, true};
    v_ = {b, "self_attn.v_proj", c.width, c.kv_heads * c.head, true};
    dense_ = {b, "self_attn.dense", c.heads * c.head, c.width, true};
    if (c.qk_norm) {
      q_norm_ = {b, "self_attn.q_layernorm", c.head};
      k_norm_ = {b, "self_attn.k_layernorm", c.head};
    }
    fc1_ = {b, "mlp.fc1", c.width, c.inner, true};
    fc2_ = {b, "mlp.fc2", c.inner, c.width, true};
    norm_ = {b, "input_layernorm", c.width};
  }

  Name operator()(Name hidden, const Rotary& rotary, KeyValueCache& cache) const {
    const Builder::Scope scope(b_, name_);
    Name residual = hidden;
    hidden = norm_(hidden);
    Name attended = attention(hidden, rotary, cache);
    attended = fn::dropout(attended, c_.resid_drop);
    Name fed = fn::dropout(mlp(hidden), c_.resid_drop);
    return fn::add(fn::add(attended, fed), residual);
  }

 private:
  Name heads(const Linear& project, const Name& x) const {
    return fn::transpose(fn::reshape(project(x), {x.size(0), x.size(1), -1, c_.head}), 1, 2);
  }
  Name attention(const Name& hidden, const Rotary& rotary, KeyValueCache& cache) const {
    Name query = heads(q_, hidden);
    Name key = heads(k_, hidden);
    Name value = heads(v_, hidden);
    if (c_.qk_norm) {
      query = q_norm_(query);
      key = k_norm_(key);
    }
    Name query_rotated = fn::slice(query, -1, 0, c_.rotated);
    Name query_passed = fn::slice(query, -1, c_.rotated, c_.head);
    Name key_rotated = fn::slice(key, -1, 0, c_.rotated);
    Name key_passed = fn::slice(key, -1, c_.rotated, c_.head);
    Name out;
    {
      const Builder::Scope scope(b_, "self_attn");
      apply_rotary(query_rotated, key_rotated, rotary);
      query = fn::cat({query_rotated, query_passed}, -1);
      key = fn::cat({key_rotated, key_passed}, -1);
      cache.update(key, value);
      out = sdpa(b_, query, key, value, {.dropout = c_.attention_dropout});
      out = merge_heads(out);
    }
    return dense_(out);
  }
  Name mlp(Name x) const {
    x = fc1_(x);
    {
      const Builder::Scope scope(b_, "mlp");
      x = activation(b_, c_.act, x);
    }
    return fc2_(x);
  }

  Builder& b_;
  const Config& c_;
  std::string name_;
  Linear q_, k_, v_, dense_, fc1_, fc2_;
  LayerNorm q_norm_, k_norm_, norm_;
};

Name build(Builder& b, const Spec& spec, Name) {
  Fields fields(spec.source->config);
  const Config c = read(fields);
  if (!begin(b, fields, spec, {"PhiForCausalLM"}, Task::CausalLm)) return {};
  const std::int64_t length = text_length(b, spec, 0);

  const Embedding table(b, "embed_tokens", c.vocab, c.width);
  const auto layers = make_layers<Layer>(b, c, "layers");
  const RotaryEmbedding rotary_embedding(b, "rotary_emb", c.rotated);
  const LayerNorm norm(b, "final_layernorm", c.width);
  rotary_embedding.initialise();
  Linear head(b, "lm_head", c.width, c.vocab, true);
  if (c.tie) tie(b, head.weight, table.weight);

  b.forward_begins();
  const Name ids = labelled_tokens(b, spec, length);
  KeyValueCache cache(b, c.cache);
  Name hidden;
  {
    Name embeds = table(ids);
    Name positions = fn::unsqueeze(position_ids(b, length), 0);
    if (!cache.kept()) look_for_packed_sequences(b, spec.batch_size, length);
    embeds = fn::dropout(embeds, c.embd_drop);
    hidden = embeds;
    const Rotary rotary = rotary_embedding(hidden, positions);
    hidden = run_layers(b, layers, std::move(hidden),
                        [&](const Layer& layer, const Name& x) { return layer(x, rotary, cache); });
    hidden = norm(hidden);
  }
  Name logits = head(hidden);
  return causal_lm_loss(b, logits, ids);
}

}  // namespace

extern const Model phi{[](const ModelSource& source) { return is_type(source, {"phi"}); }, build};
}  // namespace forerun::models
