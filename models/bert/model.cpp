// BERT and RoBERTa (transformers 5.24, models/bert/modeling_bert.py, models/roberta/
// modeling_roberta.py).
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "estimator/graph/model_catalog.h"
#include "estimator/ops/gather.h"
#include "models/shared/encoder.h"
#include "models/shared/huggingface.h"
#include "models/shared/modules.h"

namespace forerun::models {
namespace {

namespace fn = graph::fn;

struct Config {
  bool roberta = false;
  std::int64_t vocab = 0, width = 0, inner = 0, layers = 0, positions = 0, types = 0, classes = 0;
  std::int64_t padding = 0;  // RoBERTa counts its positions from the one after it
  Heads heads;
  std::string act;
  double dropout = 0, classifier_dropout = 0;
};

Config read(Fields& fields, bool roberta, Task task) {
  Config c;
  c.roberta = roberta;
  c.vocab = fields.integer("vocab_size", roberta ? 50265 : 30522);
  c.width = fields.integer("hidden_size", 768);
  c.inner = fields.integer("intermediate_size", 3072);
  c.layers = fields.count("num_hidden_layers", 12);
  c.heads.count = fields.integer("num_attention_heads", 12);
  heads_divide(fields, "hidden_size", c.width, c.heads.count);
  c.positions = fields.integer("max_position_embeddings", 512);
  c.types = fields.integer("type_vocab_size", 2);
  c.act = activation_word(fields, "hidden_act", "gelu");
  c.dropout = probability(fields, "hidden_dropout_prob", 0.1);
  c.heads.dropout = probability(fields, "attention_probs_dropout_prob", 0.1);
  c.classifier_dropout = probability(fields, "classifier_dropout", c.dropout);
  // An untied head has a second bias that nothing uses: it trains and never gets a gradient.
  if (task == Task::MaskedLm) fields.only("tie_word_embeddings", true);
  if (roberta) c.padding = fields.integer("pad_token_id", 1, 0);
  if (task == Task::SequenceClassification) c.classes = single_label_classes(fields);
  fields.only("is_decoder", false);
  fields.only("add_cross_attention", false);
  // Of older versions: 5.24 reads none of them.
  fields.neutral({"position_embedding_type", "pooler_fc_size", "pooler_num_attention_heads",
                  "pooler_num_fc_layers", "pooler_size_per_head", "pooler_type", "directionality"});
  return c;
}

class Embeddings {
 public:
  Embeddings(Builder& b, const Config& c) : b_(b), c_(c) {
    const Builder::Scope scope(b, "embeddings");
    words_ = {b, "word_embeddings", c.vocab, c.width};
    if (!c.roberta) positions_ = {b, "position_embeddings", c.positions, c.width};
    types_ = {b, "token_type_embeddings", c.types, c.width};
    norm_ = {b, "LayerNorm", c.width};
    position_ids_ =
        b.keep_as_state("position_ids", fn::expand(fn::arange(b, c.positions), {1, c.positions}));
    type_ids_ = b.keep_as_state("token_type_ids", fn::zeros(b, {1, c.positions}, DType::Int64));
    if (c.roberta) positions_ = {b, "position_embeddings", c.positions, c.width};
  }

  Name operator()(const Name& ids) const {
    const Builder::Scope scope(b_, "embeddings");
    const std::int64_t batch = ids.size(0), length = ids.size(1);
    Name positions = c_.roberta ? counted(ids) : fn::slice(position_ids_, 1, 0, length);
    Name gathered = fn::expand(type_ids_, {positions.size(0), c_.positions});
    gathered = b_.apply_one(ops::kGather, {gathered, positions}, {.dim = 1});
    Name types = fn::expand(gathered, {batch, length});
    Name words = words_(ids);
    Name type_rows = types_(types);
    Name sum = fn::add(words, type_rows);
    Name position_rows = positions_(positions);
    sum = fn::add(sum, position_rows);
    sum = norm_(sum);
    sum = fn::dropout(sum, c_.dropout);
    graph::leave(positions, gathered, types, words, type_rows, position_rows);
    return sum;
  }
  const Name& table() const { return words_.weight; }

  // _init_weights of the buffers, when the encoder is made.
  void initialise() const {
    fn::copy(position_ids_, fn::expand(fn::arange(b_, c_.positions), {1, c_.positions}));
    fn::fill(type_ids_);
  }

 private:
  // create_position_ids_from_input_ids
  Name counted(const Name& ids) const {
    Name mask = fn::to(fn::compare_number(ids), DType::Int32);
    Name counts = fn::to(fn::cumsum(mask, 1), DType::Int32);
    counts = fn::mul(fn::add_number(std::move(counts)), mask);
    return fn::add_number(fn::to(counts, DType::Int64));
  }

  Builder& b_;
  const Config& c_;
  Embedding words_, positions_, types_;
  LayerNorm norm_;
  Name position_ids_, type_ids_;
};

class Layer {
 public:
  Layer(Builder& b, const Config& c, std::string name) : b_(b), c_(c), name_(std::move(name)) {
    const Builder::Scope scope(b, name_);
    query_ = {b, "attention.self.query", c.width, c.width, true};
    key_ = {b, "attention.self.key", c.width, c.width, true};
    value_ = {b, "attention.self.value", c.width, c.width, true};
    attended_ = {b, "attention.output.dense", c.width, c.width, true};
    attended_norm_ = {b, "attention.output.LayerNorm", c.width};
    inner_ = {b, "intermediate.dense", c.width, c.inner, true};
    outer_ = {b, "output.dense", c.inner, c.width, true};
    outer_norm_ = {b, "output.LayerNorm", c.width};
  }

  Name operator()(const Name& hidden) const {
    const Builder::Scope scope(b_, name_);
    Name attended = attention(hidden);
    Name intermediate = inner_(attended);
    {
      const Builder::Scope part(b_, "intermediate");
      intermediate = activation(b_, c_.act, intermediate);
    }
    return joined(outer_, outer_norm_, intermediate, attended);
  }

 private:
  Name attention(const Name& hidden) const {
    Name context;
    {
      const Builder::Scope scope(b_, "attention.self");
      context = attend_to_all(b_, without_prefix(query_), without_prefix(key_),
                              without_prefix(value_), hidden, c_.heads);
    }
    return joined(attended_, attended_norm_, context, hidden);
  }
  static Linear without_prefix(Linear one) {
    one.name = one.name.substr(one.name.rfind('.') + 1);
    return one;
  }
  // BertSelfOutput and BertOutput
  Name joined(const Linear& dense, const LayerNorm& norm, const Name& x, const Name& input) const {
    Name hidden = dense(x);
    hidden = fn::dropout(hidden, c_.dropout);
    Name sum = fn::add(hidden, input);
    return norm(std::move(sum));
  }

  Builder& b_;
  const Config& c_;
  std::string name_;
  Linear query_, key_, value_, attended_, inner_, outer_;
  LayerNorm attended_norm_, outer_norm_;
};

class Encoder {
 public:
  Encoder(Builder& b, const Config& c, bool pools)
      : b_(b), scope_name_(c.roberta ? "roberta" : "bert") {
    const Builder::Scope scope(b, scope_name_);
    embeddings_ = std::make_unique<Embeddings>(b, c);
    layers_ = make_layers<Layer>(b, c, "encoder.layer");
    if (pools) pooler_ = {b, "pooler.dense", c.width, c.width, true};
    embeddings_->initialise();
  }

  struct Output {
    Name hidden, pooled;
  };
  Output operator()(const Name& ids) const {
    const Builder::Scope scope(b_, scope_name_);
    Name embedded = (*embeddings_)(ids);
    Output out;
    out.hidden = run_layers(b_, layers_, embedded,
                            [](const Layer& layer, const Name& x) { return layer(x); });
    if (pooler_.weight) out.pooled = pooled(out.hidden);
    return out;
  }
  const Embeddings& embeddings() const { return *embeddings_; }

 private:
  Name pooled(const Name& hidden) const {
    Name first = fn::select(hidden, 1);
    Name pooled = pooler_(first);
    const Builder::Scope scope(b_, "pooler");
    return fn::tanh(pooled);
  }

  Builder& b_;
  std::string scope_name_;
  std::unique_ptr<Embeddings> embeddings_;
  std::vector<Layer> layers_;
  Linear pooler_;
};

// BertOnlyMLMHead, RobertaLMHead
class LanguageHead {
 public:
  LanguageHead(Builder& b, const Config& c, const Name& table)
      : b_(b), act_(c.roberta ? "gelu" : c.act), name_(c.roberta ? "lm_head" : "cls.predictions") {
    const Builder::Scope scope(b, name_);
    const int first = b.made();
    const std::string part = c.roberta ? "" : "transform.";
    dense_ = {b, part + "dense", c.width, c.width, true};
    norm_ = {b, part + (c.roberta ? "layer_norm" : "LayerNorm"), c.width};
    decoder_ = {b, "decoder", c.width, c.vocab, true};
    const Name bias = b.weight("bias", {c.vocab});
    tie_head(b, decoder_, table);
    tie(b, decoder_.bias, bias);
    const int own = b.made();
    decoder_.bias = padded_bias(b, bias);
    b.registered_own(first, own, own + 1);
  }

  Name operator()(const Name& hidden) const {
    const Builder::Scope scope(b_, name_);
    Name x = dense_(hidden);
    x = activation(b_, act_, x);
    x = norm_(x);
    return decoder_(x);
  }

 private:
  Builder& b_;
  std::string act_, name_;
  Linear dense_, decoder_;
  LayerNorm norm_;
};

Name ids_of(Builder& b, const Spec& spec, std::int64_t length) {
  return b.data("input_ids", {spec.batch_size, length}, DType::Int64);
}

Name masked_lm(Builder& b, const Spec& spec, const Config& c, std::int64_t length) {
  const Encoder encoder(b, c, false);
  const LanguageHead head(b, c, encoder.embeddings().table());

  b.forward_begins();
  const Name ids = ids_of(b, spec, length);
  b.labels_are(ids);
  const Name hidden = encoder(ids).hidden;
  Name scores = head(hidden);
  return token_loss(b, scores, ids);
}

Name classification(Builder& b, const Spec& spec, const Config& c, std::int64_t length) {
  const Encoder encoder(b, c, !c.roberta);
  Linear dense;
  if (c.roberta) dense = {b, "classifier.dense", c.width, c.width, true};
  const Linear classifier(b, c.roberta ? "classifier.out_proj" : "classifier", c.width, c.classes,
                          true);

  b.forward_begins();
  const Name ids = ids_of(b, spec, length);
  const Name labels = b.data("labels", {spec.batch_size}, DType::Int64);
  const Encoder::Output out = encoder(ids);
  Name x = c.roberta ? fn::select(out.hidden, 1) : out.pooled;
  {
    const Builder::Scope scope(b, c.roberta ? "classifier.dropout" : "dropout");
    x = fn::dropout(x, c.classifier_dropout);
  }
  if (c.roberta) {
    x = dense(x);
    const Builder::Scope scope(b, "classifier");
    x = fn::tanh(x);
    x = fn::dropout(x, c.classifier_dropout);
  }
  Name logits = classifier(x);
  x.reset();
  return token_loss(b, logits, labels);
}

Name build(Builder& b, const Spec& spec, Name) {
  Fields fields(spec.source->config);
  const bool roberta = is_type(*spec.source, {"roberta"});
  const std::string family = roberta ? "Roberta" : "Bert";
  const std::string language = family + "ForMaskedLM";
  const std::string sequence = family + "ForSequenceClassification";
  const auto task =
      task_of(b, spec, {{Task::MaskedLm, language}, {Task::SequenceClassification, sequence}});
  if (!task) return {};
  const Config c = read(fields, roberta, *task);
  if (!begin(b, fields, spec, {language, sequence}, *task)) return {};
  const std::int64_t most = roberta ? c.positions - c.padding - 1 : c.positions;
  const std::int64_t length = text_length(b, spec, most);
  if (b.failed()) return {};
  return *task == Task::MaskedLm ? masked_lm(b, spec, c, length)
                                 : classification(b, spec, c, length);
}

}  // namespace

extern const Model bert{[](const ModelSource& source) {
                          return is_type(source, {"bert", "roberta"});
                        },
                        build};
}  // namespace forerun::models
