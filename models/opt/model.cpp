// OPT (transformers 5.24, models/opt/modeling_opt.py).
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
  std::int64_t vocab = 0, width = 0, inner = 0, layers = 0, heads = 0, positions = 0, embedded = 0;
  std::string act;
  double dropout = 0, attention_dropout = 0;
  bool bias = true, norm_first = true, final_norm = true, cache = true, tie = true;
};

Config read(Fields& fields) {
  Config c;
  c.vocab = fields.integer("vocab_size", 50272);
  c.width = fields.integer("hidden_size", 768);
  c.layers = fields.count("num_hidden_layers", 12);
  c.inner = fields.integer("ffn_dim", 3072);
  c.positions = fields.integer("max_position_embeddings", 2048);
  c.embedded = fields.integer("word_embed_proj_dim", c.width);
  c.heads = fields.integer("num_attention_heads", 12);
  heads_divide(fields, "hidden_size", c.width, c.heads);
  c.act = activation_word(fields, "activation_function", "relu");
  c.dropout = probability(fields, "dropout", 0.1);
  c.attention_dropout = probability(fields, "attention_dropout", 0);
  c.bias = fields.flag("enable_bias", true);
  c.norm_first = fields.flag("do_layer_norm_before", true);
  c.final_norm = c.norm_first && !fields.flag("_remove_final_layer_norm", false);
  c.cache = fields.flag("use_cache", true);
  c.tie = fields.flag("tie_word_embeddings", true);
  fields.only("layer_norm_elementwise_affine", true);
  if (fields.number("layerdrop", 0) > 0)
    fields.fail("layerdrop", "layers that are left out at random are not modelled", "layerdrop: 0");
  fields.neutral({"init_std"});
  return c;
}

class Layer {
 public:
  Layer(Builder& b, const Config& c, std::string name) : b_(b), c_(c), name_(std::move(name)) {
    const Builder::Scope scope(b, name_);
    k_ = {b, "self_attn.k_proj", c.width, c.width, c.bias};
    v_ = {b, "self_attn.v_proj", c.width, c.width, c.bias};
    q_ = {b, "self_attn.q_proj", c.width, c.width, c.bias};
    out_ = {b, "self_attn.out_proj", c.width, c.width, c.bias};
    attention_norm_ = {b, "self_attn_layer_norm", c.width};
    fc1_ = {b, "fc1", c.width, c.inner, c.bias};
    fc2_ = {b, "fc2", c.inner, c.width, c.bias};
    final_norm_ = {b, "final_layer_norm", c.width};
  }

  Name operator()(Name hidden, KeyValueCache& cache) const {
    const Builder::Scope scope(b_, name_);
    Name residual = hidden;
    if (c_.norm_first) hidden = attention_norm_(hidden);
    hidden = attention(hidden, cache);
    hidden = fn::dropout(hidden, c_.dropout);
    hidden = fn::add(residual, hidden);
    if (!c_.norm_first) hidden = attention_norm_(hidden);
    const Shape shape = hidden.shape();
    hidden = fn::reshape(hidden, {-1, c_.width});
    residual = hidden;
    if (c_.norm_first) hidden = final_norm_(hidden);
    hidden = fc1_(hidden);
    hidden = activation(b_, c_.act, hidden);
    hidden = fc2_(hidden);
    hidden = fn::dropout(hidden, c_.dropout);
    hidden = fn::reshape(fn::add(residual, hidden), shape);
    if (!c_.norm_first) hidden = final_norm_(hidden);
    return hidden;
  }

 private:
  Name heads(Name x) const {
    return fn::transpose(fn::reshape(x, {x.size(0), -1, c_.heads, c_.width / c_.heads}), 1, 2);
  }
  Name attention(const Name& hidden, KeyValueCache& cache) const {
    Name query = fn::mul_number(q_(hidden));
    query = heads(query);
    Name key = k_(hidden);
    Name value = v_(hidden);
    key = heads(key);
    value = heads(value);
    cache.update(key, value);
    Name out;
    {
      const Builder::Scope scope(b_, "self_attn");
      out = sdpa(b_, query, key, value, {.dropout = c_.attention_dropout});
      out = merge_heads(out);
    }
    return out_(out);
  }

  Builder& b_;
  const Config& c_;
  std::string name_;
  Linear q_, k_, v_, out_, fc1_, fc2_;
  LayerNorm attention_norm_, final_norm_;
};

Name build(Builder& b, const Spec& spec, Name) {
  Fields fields(spec.source->config);
  const Config c = read(fields);
  if (!begin(b, fields, spec, {"OPTForCausalLM"}, Task::CausalLm)) return {};
  const std::int64_t length = text_length(b, spec, c.positions);

  const Embedding table(b, "embed_tokens", c.vocab, c.embedded);
  const Embedding positions_table(b, "embed_positions", c.positions + 2, c.width);
  Linear project_out, project_in;
  const bool projects = c.embedded != c.width;
  if (projects) {
    project_out = {b, "project_out", c.width, c.embedded, false};
    project_in = {b, "project_in", c.embedded, c.width, false};
  }
  LayerNorm final_norm;
  if (c.final_norm) final_norm = {b, "final_layer_norm", c.width};
  const auto layers = make_layers<Layer>(b, c, "layers");
  Linear head(b, "lm_head", c.embedded, c.vocab, false);
  if (c.tie) tie(b, head.weight, table.weight);

  b.forward_begins();
  const Name ids = labelled_tokens(b, spec, length);
  KeyValueCache cache(b, c.cache);
  Name hidden;
  {
    Name embeds = table(ids);
    Name mask = fn::zeros(b, {spec.batch_size, length}, DType::Float32);
    Name positions = fn::cumsum(mask, 1);
    positions = fn::to(fn::sub_number(fn::mul(positions, mask)), DType::Int64);
    positions = fn::slice(positions, 1, 0, length);
    Name places = positions_table(fn::add_number(positions));
    if (projects) embeds = project_in(embeds);
    hidden = fn::add(embeds, places);
    hidden = run_layers(b, layers, std::move(hidden),
                        [&](const Layer& layer, const Name& x) { return layer(x, cache); });
    if (c.final_norm) hidden = final_norm(hidden);
    if (projects) hidden = project_out(hidden);
  }
  Name logits = fn::contiguous(head(hidden));
  return causal_lm_loss(b, logits, ids);
}

}  // namespace

extern const Model opt{[](const ModelSource& source) { return is_type(source, {"opt"}); }, build};
}  // namespace forerun::models
