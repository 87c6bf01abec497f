// Llama and the decoders in its image (transformers 5.24,
// models/{llama,mistral,qwen2,qwen3,gemma,mixtral}/ modeling_*.py, which are one text with a few
// differences).
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "estimator/graph/model_catalog.h"
#include "models/shared/experts.h"
#include "models/shared/huggingface.h"
#include "models/shared/modules.h"
#include "models/shared/rotary.h"

namespace forerun::models {
namespace {

namespace fn = graph::fn;

struct Config {
  std::int64_t vocab = 0, width = 0, inner = 0, layers = 0, heads = 0, kv_heads = 0, head = 0;
  std::string act;
  double attention_dropout = 0;
  bool qkv_bias = false, out_bias = false, mlp_bias = false, qk_norm = false;
  bool scaled_embedding = false, sliding = false, cache = true, tie = false;
  RmsNorm::Kind norm = RmsNorm::Kind::Llama;
  ExpertSizes experts;  // mixtral's; none: a dense feed-forward
};

// A mask is only made where some token lies outside the window.
void check_window(Fields& fields, const Spec& spec, const std::string& name) {
  const auto window = fields.maybe_integer(name);
  if (window && spec.sequence_length && *spec.sequence_length >= *window)
    fields.fail(name,
                fmt::format("a sliding window of {} under {} tokens is not modelled", *window,
                            *spec.sequence_length),
                "a sequence_length below the window");
}

Config read(Fields& fields, const Spec& spec) {
  Config c;
  const std::string type = fields.word("model_type");
  const bool gemma = type == "gemma";
  c.vocab = fields.integer("vocab_size");
  c.width = fields.integer("hidden_size");
  c.inner = fields.integer("intermediate_size");
  c.layers = fields.count("num_hidden_layers");
  c.heads = fields.integer("num_attention_heads");
  c.kv_heads = fields.maybe_integer("num_key_value_heads").value_or(c.heads);
  const auto head = fields.maybe_integer("head_dim");
  if (!head) heads_divide(fields, "hidden_size", c.width, c.heads);
  c.head = head.value_or(c.width / c.heads);
  if (c.heads % c.kv_heads != 0)
    fields.fail(
        "num_key_value_heads",
        fmt::format("{} heads are not a multiple of {} key-value heads", c.heads, c.kv_heads));
  c.act = activation_word(fields, "hidden_act", gemma ? "gelu_pytorch_tanh" : "silu");
  c.attention_dropout = probability(fields, "attention_dropout", 0);
  c.cache = fields.flag("use_cache", true);
  c.tie = fields.flag("tie_word_embeddings", gemma);
  const bool bias = fields.flag("attention_bias", false);
  c.qkv_bias = type == "qwen2" || bias;
  c.out_bias = type != "qwen2" && bias;
  c.mlp_bias = fields.flag("mlp_bias", false);
  c.qk_norm = type == "qwen3";
  c.scaled_embedding = gemma;
  c.norm = gemma ? RmsNorm::Kind::Gemma : RmsNorm::Kind::Llama;
  if (type == "mistral") {
    c.sliding = fields.has("sliding_window");
    check_window(fields, spec, "sliding_window");
  }
  if (type == "mixtral") {
    c.experts = {c.width, c.inner, fields.count("num_local_experts", 8),
                 fields.integer("num_experts_per_tok", 2), c.act};
    if (c.experts.chosen > c.experts.experts)
      fields.fail("num_experts_per_tok",
                  fmt::format("{} of {} experts", c.experts.chosen, c.experts.experts));
    fields.only("output_router_logits", false);
    if (fields.number("router_jitter_noise", 0) != 0)
      fields.fail("router_jitter_noise", "a router with noise is not modelled",
                  "router_jitter_noise: 0");
    fields.neutral({"router_aux_loss_coef"});
    check_window(fields, spec, "sliding_window");
    c.sliding = fields.has("sliding_window");
    if (spec.precision != Precision::Bf16)
      fields.fail("model_type",
                  fmt::format("a mixture of experts in {} is not modelled: its rows by "
                              "expert depend on the data",
                              name(spec.precision)),
                  "precision: bf16");
  }
  if (type == "qwen2" || type == "qwen3") {
    if (fields.flag("use_sliding_window", false)) check_window(fields, spec, "sliding_window");
    fields.neutral({"sliding_window", "max_window_layers", "layer_types"});
  }
  fields.neutral({"pretraining_tp", "rope_theta", "rope_scaling", "max_position_embeddings",
                  "rope_parameters", "hidden_activation", "use_bidirectional_attention"});
  return c;
}

class Layer {
 public:
  Layer(Builder& b, const Config& c, std::string name) : b_(b), c_(c), name_(std::move(name)) {
    const Builder::Scope scope(b, name_);
    q_ = {b, "self_attn.q_proj", c.width, c.heads * c.head, c.qkv_bias};
    k_ = {b, "self_attn.k_proj", c.width, c.kv_heads * c.head, c.qkv_bias};
    v_ = {b, "self_attn.v_proj", c.width, c.kv_heads * c.head, c.qkv_bias};
    o_ = {b, "self_attn.o_proj", c.heads * c.head, c.width, c.out_bias};
    if (c.qk_norm) {
      q_norm_ = {b, "self_attn.q_norm", c.head};
      k_norm_ = {b, "self_attn.k_norm", c.head};
    }
    if (c.experts.experts > 0) {
      experts_ = {b, "mlp", c.experts};
    } else {
      gate_ = {b, "mlp.gate_proj", c.width, c.inner, c.mlp_bias};
      up_ = {b, "mlp.up_proj", c.width, c.inner, c.mlp_bias};
      down_ = {b, "mlp.down_proj", c.inner, c.width, c.mlp_bias};
    }
    before_ = {b, "input_layernorm", c.width, c.norm};
    after_ = {b, "post_attention_layernorm", c.width, c.norm};
  }

  Name operator()(Name hidden, const Rotary& rotary, KeyValueCache& cache) const {
    const Builder::Scope scope(b_, name_);
    Name residual = hidden;
    hidden = before_(hidden);
    hidden = attention(hidden, rotary, cache);
    hidden = fn::add(residual, hidden);
    residual = hidden;
    hidden = after_(hidden);
    hidden = c_.experts.experts > 0 ? experts_(hidden) : mlp(hidden);
    return fn::add(residual, hidden);
  }

 private:
  Name heads(const Linear& project, const RmsNorm* norm, const Name& x) const {
    Name y = fn::reshape(project(x), {x.size(0), x.size(1), -1, c_.head});
    if (norm != nullptr) y = (*norm)(std::move(y));
    return fn::transpose(std::move(y), 1, 2);
  }
  Name attention(const Name& hidden, const Rotary& rotary, KeyValueCache& cache) const {
    Name query = heads(q_, c_.qk_norm ? &q_norm_ : nullptr, hidden);
    Name key = heads(k_, c_.qk_norm ? &k_norm_ : nullptr, hidden);
    Name value = heads(v_, nullptr, hidden);
    {
      const Builder::Scope scope(b_, "self_attn");
      apply_rotary(query, key, rotary);
      cache.update(key, value);
    }
    Name out;
    {
      const Builder::Scope scope(b_, "self_attn");
      out = sdpa(b_, query, key, value, {.dropout = c_.attention_dropout});
      out = merge_heads(out);
    }
    return o_(out);
  }
  Name mlp(const Name& x) const {
    Name gated = gate_(x);
    {
      const Builder::Scope scope(b_, "mlp");
      gated = activation(b_, c_.act, gated);
    }
    Name wide = up_(x);
    {
      const Builder::Scope scope(b_, "mlp");
      wide = fn::mul(std::move(gated), std::move(wide));
    }
    return down_(std::move(wide));
  }

  Builder& b_;
  const Config& c_;
  std::string name_;
  Linear q_, k_, v_, o_, gate_, up_, down_;
  RmsNorm q_norm_, k_norm_, before_, after_;
  Experts experts_;
};

Name build(Builder& b, const Spec& spec, Name) {
  Fields fields(spec.source->config);
  const Config c = read(fields, spec);
  if (!begin(b, fields, spec,
             {"LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM", "Qwen3ForCausalLM",
              "GemmaForCausalLM", "MixtralForCausalLM"},
             Task::CausalLm))
    return {};
  const std::int64_t length = text_length(b, spec, 0);

  const Embedding table(b, "embed_tokens", c.vocab, c.width);
  Name scale;
  if (c.scaled_embedding) scale = b.state("embed_scale", {}, DType::Float32);
  const auto layers = make_layers<Layer>(b, c, "layers");
  const RmsNorm norm(b, "norm", c.width, c.norm);
  const RotaryEmbedding rotary_embedding(b, "rotary_emb", c.head);
  rotary_embedding.initialise();
  Linear head(b, "lm_head", c.width, c.vocab, false);
  if (c.tie) tie(b, head.weight, table.weight);

  b.forward_begins();
  const Name ids = labelled_tokens(b, spec, length);
  KeyValueCache cache(b, c.cache, c.sliding);
  Name hidden;
  {
    Name embeds = table(ids);
    if (c.scaled_embedding) embeds = fn::mul(embeds, fn::to(scale, b.model_dtype()));
    Name positions = fn::unsqueeze(position_ids(b, length), 0);
    if (!cache.kept()) look_for_packed_sequences(b, spec.batch_size, length);
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

extern const Model llama{
    [](const ModelSource& source) {
      return is_type(source, {"llama", "mistral", "qwen2", "qwen3", "gemma", "mixtral"});
    },
    build};
}  // namespace forerun::models
