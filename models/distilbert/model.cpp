// DistilBERT (transformers 5.24, models/distilbert/modeling_distilbert.py).
#include <string>
#include <utility>
#include <vector>

#include "estimator/graph/model_catalog.h"
#include "models/shared/encoder.h"
#include "models/shared/huggingface.h"
#include "models/shared/modules.h"

namespace forerun::models {
namespace {

namespace fn = graph::fn;

struct Config {
  std::int64_t vocab = 0, width = 0, inner = 0, layers = 0, positions = 0, classes = 0;
  Heads heads;
  std::string act;
  double dropout = 0, classifier_dropout = 0;
  bool tie = true;
};

Config read(Fields& fields, Task task) {
  Config c;
  c.vocab = fields.integer("vocab_size", 30522);
  c.width = fields.integer("dim", 768);
  c.inner = fields.integer("hidden_dim", 3072);
  c.layers = fields.count("n_layers", 6);
  c.heads.count = fields.integer("n_heads", 12);
  heads_divide(fields, "dim", c.width, c.heads.count);
  c.positions = fields.integer("max_position_embeddings", 512);
  c.act = activation_word(fields, "activation", "gelu");
  c.dropout = probability(fields, "dropout", 0.1);
  c.heads.dropout = probability(fields, "attention_dropout", 0.1);
  c.classifier_dropout = probability(fields, "seq_classif_dropout", 0.2);
  c.tie = fields.flag("tie_word_embeddings", true);
  if (task == Task::SequenceClassification) c.classes = single_label_classes(fields);
  fields.only("sinusoidal_pos_embds", false);
  // tie_weights_: of older versions.
  fields.neutral({"qa_dropout", "tie_weights_"});
  return c;
}

class Block {
 public:
  Block(Builder& b, const Config& c, std::string name) : b_(b), c_(c), name_(std::move(name)) {
    const Builder::Scope scope(b, name_);
    {
      const Builder::Scope part(b, "attention");
      query_ = {b, "q_lin", c.width, c.width, true};
      key_ = {b, "k_lin", c.width, c.width, true};
      value_ = {b, "v_lin", c.width, c.width, true};
      out_ = {b, "out_lin", c.width, c.width, true};
    }
    attended_norm_ = {b, "sa_layer_norm", c.width};
    {
      const Builder::Scope part(b, "ffn");
      inner_ = {b, "lin1", c.width, c.inner, true};
      outer_ = {b, "lin2", c.inner, c.width, true};
    }
    out_norm_ = {b, "output_layer_norm", c.width};
  }

  Name operator()(const Name& hidden) const {
    const Builder::Scope scope(b_, name_);
    Name attended = attention(hidden);
    attended = attended_norm_(fn::add(attended, hidden));
    Name fed = feed_forward(attended);
    fed = out_norm_(fn::add(fed, attended));
    return fed;
  }

 private:
  Name attention(const Name& hidden) const {
    const Builder::Scope scope(b_, "attention");
    return attend_to_all(b_, query_, key_, value_, hidden, c_.heads, &out_);
  }
  Name feed_forward(const Name& attended) const {
    const Builder::Scope scope(b_, "ffn");
    Name x = inner_(attended);
    x = activation(b_, c_.act, x);
    x = outer_(x);
    x = fn::dropout(x, c_.dropout);
    return x;
  }

  Builder& b_;
  const Config& c_;
  std::string name_;
  Linear query_, key_, value_, out_, inner_, outer_;
  LayerNorm attended_norm_, out_norm_;
};

class Encoder {
 public:
  Encoder(Builder& b, const Config& c) : b_(b), c_(c) {
    const Builder::Scope scope(b, "distilbert");
    {
      const Builder::Scope part(b, "embeddings");
      words_ = {b, "word_embeddings", c.vocab, c.width};
      positions_ = {b, "position_embeddings", c.positions, c.width};
      norm_ = {b, "LayerNorm", c.width};
      position_ids_ = b.keep_as_state("position_ids", counted());
    }
    blocks_ = make_layers<Block>(b, c, "transformer.layer");
    fn::copy(position_ids_, counted());  // _init_weights
  }

  Name operator()(const Name& ids) const {
    const Builder::Scope scope(b_, "distilbert");
    Name embedded = embeddings(ids);
    return run_layers(b_, blocks_, embedded,
                      [](const Block& block, const Name& x) { return block(x); });
  }
  const Name& table() const { return words_.weight; }

 private:
  Name counted() const { return fn::expand(fn::arange(b_, c_.positions), {1, c_.positions}); }
  Name embeddings(const Name& ids) const {
    const Builder::Scope scope(b_, "embeddings");
    Name words = words_(ids);
    Name places = positions_(fn::slice(position_ids_, 1, 0, ids.size(1)));
    Name sum = fn::add(words, places);
    sum = norm_(sum);
    sum = fn::dropout(sum, c_.dropout);
    graph::leave(words, places);
    return sum;
  }

  Builder& b_;
  const Config& c_;
  Embedding words_, positions_;
  LayerNorm norm_;
  Name position_ids_;
  std::vector<Block> blocks_;
};

Name masked_lm(Builder& b, const Spec& spec, const Config& c, std::int64_t length) {
  const Encoder encoder(b, c);
  const Linear transform(b, "vocab_transform", c.width, c.width, true);
  const LayerNorm norm(b, "vocab_layer_norm", c.width);
  Linear projector(b, "vocab_projector", c.width, c.vocab, true);
  if (c.tie) tie_head(b, projector, encoder.table());

  b.forward_begins();
  const Name ids = b.data("input_ids", {spec.batch_size, length}, DType::Int64);
  b.labels_are(ids);
  const Name hidden = encoder(ids);
  Name logits = transform(hidden);
  logits = activation(b, c.act, logits);
  logits = norm(logits);
  logits = projector(logits);
  return token_loss(b, logits, ids);
}

Name classification(Builder& b, const Spec& spec, const Config& c, std::int64_t length) {
  const Encoder encoder(b, c);
  const Linear before(b, "pre_classifier", c.width, c.width, true);
  const Linear classifier(b, "classifier", c.width, c.classes, true);

  b.forward_begins();
  const Name ids = b.data("input_ids", {spec.batch_size, length}, DType::Int64);
  const Name labels = b.data("labels", {spec.batch_size}, DType::Int64);
  const Name hidden = encoder(ids);
  Name pooled = fn::select(hidden, 1);
  pooled = before(pooled);
  pooled = fn::relu(pooled);
  {
    const Builder::Scope scope(b, "dropout");
    pooled = fn::dropout(pooled, c.classifier_dropout);
  }
  Name logits = classifier(pooled);
  return token_loss(b, logits, labels);
}

Name build(Builder& b, const Spec& spec, Name) {
  Fields fields(spec.source->config);
  const std::string language = "DistilBertForMaskedLM";
  const std::string sequence = "DistilBertForSequenceClassification";
  const auto task =
      task_of(b, spec, {{Task::MaskedLm, language}, {Task::SequenceClassification, sequence}});
  if (!task) return {};
  const Config c = read(fields, *task);
  if (!begin(b, fields, spec, {language, sequence}, *task)) return {};
  const std::int64_t length = text_length(b, spec, c.positions);
  if (b.failed()) return {};
  return *task == Task::MaskedLm ? masked_lm(b, spec, c, length)
                                 : classification(b, spec, c, length);
}

}  // namespace

extern const Model distilbert{
    [](const ModelSource& source) { return is_type(source, {"distilbert"}); }, build};
}  // namespace forerun::models
