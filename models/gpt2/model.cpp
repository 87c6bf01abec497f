// GPT-2 (transformers 5.24, models/gpt2/modeling_gpt2.py).
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "estimator/graph/model_catalog.h"
#include "models/shared/huggingface.h"
#include "models/shared/modules.h"

namespace forerun::models {
namespace {

namespace fn = graph::fn;

struct Config {
  std::int64_t vocab, positions, width, layers, heads, inner;
  std::string act;
  double resid_drop, embd_drop, attn_drop;
  bool cache, tie;
};

Config read(Fields& fields) {
  Config c{};
  c.vocab = fields.integer("vocab_size", 50257);
  c.positions = fields.integer("n_positions", 1024);
  c.width = fields.integer("n_embd", 768);
  c.layers = fields.count("n_layer", 12);
  c.heads = fields.integer("n_head", 12);
  c.inner = fields.maybe_integer("n_inner").value_or(4 * c.width);
  c.act = activation_word(fields, "activation_function", "gelu_new");
  c.resid_drop = probability(fields, "resid_pdrop", 0.1);
  c.embd_drop = probability(fields, "embd_pdrop", 0.1);
  c.attn_drop = probability(fields, "attn_pdrop", 0.1);
  c.cache = fields.flag("use_cache", true);
  c.tie = fields.flag("tie_word_embeddings", true);
  fields.only("add_cross_attention", false);
  fields.neutral({"layer_norm_epsilon", "scale_attn_weights", "scale_attn_by_inverse_layer_idx",
                  "reorder_and_upcast_attn", "summary_activation", "summary_first_dropout",
                  "summary_proj_to_labels", "summary_type", "summary_use_proj", "n_ctx"});
  heads_divide(fields, "n_embd", c.width, c.heads);
  return c;
}

class Block {
 public:
  Block(Builder& b, const Config& c, std::string name) : b_(b), c_(c), name_(std::move(name)) {
    const Builder::Scope scope(b, name_);
    ln_1_ = {b, "ln_1", c.width};
    c_attn_ = {b, "attn.c_attn", 3 * c.width, c.width};
    attn_proj_ = {b, "attn.c_proj", c.width, c.width};
    ln_2_ = {b, "ln_2", c.width};
    c_fc_ = {b, "mlp.c_fc", c.inner, c.width};
    mlp_proj_ = {b, "mlp.c_proj", c.width, c.inner};
  }

  Name operator()(Name hidden, KeyValueCache& cache) const {
    const Builder::Scope scope(b_, name_);
    Name residual = hidden;
    hidden = ln_1_(hidden);
    Name attended = attention(hidden, cache);
    hidden = fn::add(attended, residual);
    residual = hidden;
    hidden = ln_2_(hidden);
    Name fed = mlp(hidden);
    return fn::add(residual, fed);
  }

 private:
  Name attention(const Name& hidden, KeyValueCache& cache) const {
    Name packed = c_attn_(hidden);
    Name query, key, value, out;
    {
      const Builder::Scope scope(b_, "attn");
      auto parts = fn::split(std::move(packed), {c_.width, c_.width, c_.width}, 2);
      if (parts.size() != 3) return {};
      query = std::move(parts[0]), key = std::move(parts[1]), value = std::move(parts[2]);
      key = heads(std::move(key));
      value = heads(std::move(value));
      query = heads(std::move(query));
      cache.update(key, value);
      out = sdpa(b_, query, key, value, {.dropout = c_.attn_drop});
      out = merge_heads(out);
    }
    out = attn_proj_(out);
    const Builder::Scope scope(b_, "attn.resid_dropout");
    return fn::dropout(out, c_.resid_drop);
  }
  Name heads(Name x) const {
    return fn::transpose(fn::reshape(x, {x.size(0), x.size(1), -1, c_.width / c_.heads}), 1, 2);
  }
  Name mlp(Name hidden) const {
    hidden = c_fc_(hidden);
    {
      const Builder::Scope scope(b_, "mlp");
      hidden = activation(b_, c_.act, hidden);
    }
    hidden = mlp_proj_(hidden);
    const Builder::Scope scope(b_, "mlp.dropout");
    return fn::dropout(hidden, c_.resid_drop);
  }

  Builder& b_;
  const Config& c_;
  std::string name_;
  LayerNorm ln_1_, ln_2_;
  Conv1D c_attn_, attn_proj_, c_fc_, mlp_proj_;
};

Name build(Builder& b, const Spec& spec, Name) {
  Fields fields(spec.source->config);
  const Config c = read(fields);
  if (!begin(b, fields, spec, {"GPT2LMHeadModel"}, Task::CausalLm)) return {};
  const std::int64_t length = text_length(b, spec, c.positions);

  const Embedding wte(b, "wte", c.vocab, c.width);
  const Embedding wpe(b, "wpe", c.positions, c.width);
  const auto blocks = make_layers<Block>(b, c, "h");
  const LayerNorm ln_f(b, "ln_f", c.width);
  Linear head(b, "lm_head", c.width, c.vocab, false);
  if (c.tie) tie(b, head.weight, wte.weight);

  b.forward_begins();
  const Name ids = labelled_tokens(b, spec, length);
  KeyValueCache cache(b, c.cache);
  Name hidden;
  {
    Name embeds = wte(fn::reshape(ids, {-1, length}));
    Name positions = fn::unsqueeze(position_ids(b, length), 0);
    Name position_embeds = wpe(positions);
    hidden = fn::add(embeds, position_embeds);
    if (!cache.kept()) look_for_packed_sequences(b, spec.batch_size, length);
    {
      const Builder::Scope scope(b, "drop");
      hidden = fn::dropout(hidden, c.embd_drop);
    }
    hidden = run_layers(b, blocks, std::move(hidden),
                        [&](const Block& block, const Name& x) { return block(x, cache); });
    hidden = ln_f(hidden);
    hidden = fn::reshape(hidden, {-1, length, c.width});
    graph::leave(embeds, positions, position_embeds);
  }
  Name logits = head(hidden);
  Name loss = causal_lm_loss(b, logits, ids);
  return loss;
}

}  // namespace

extern const Model gpt2{[](const ModelSource& source) { return is_type(source, {"gpt2"}); }, build};
}  // namespace forerun::models
