// Vision transformers (transformers 5.24, models/vit/modeling_vit.py).
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "estimator/graph/model_catalog.h"
#include "models/shared/encoder.h"
#include "models/shared/huggingface.h"
#include "models/shared/modules.h"
#include "models/shared/vision.h"

namespace forerun::models {
namespace {

namespace fn = graph::fn;

struct Config {
  std::int64_t width = 0, inner = 0, layers = 0, head = 0, image = 0, patch = 0, channels = 0,
               classes = 0;
  Heads heads;
  std::string act;
  double dropout = 0;
  bool bias = true;

  std::int64_t patches() const { return (image / patch) * (image / patch); }
};

Config read(Fields& fields) {
  Config c;
  c.width = fields.integer("hidden_size", 768);
  c.inner = fields.integer("intermediate_size", 3072);
  c.layers = fields.count("num_hidden_layers", 12);
  c.heads.count = fields.integer("num_attention_heads", 12);
  c.head = fields.maybe_integer("head_dim").value_or(c.width / c.heads.count);
  c.image = fields.integer("image_size", 224);
  c.patch = fields.integer("patch_size", 16);
  c.channels = fields.integer("num_channels", 3);
  c.act = activation_word(fields, "hidden_act", "gelu");
  c.dropout = probability(fields, "hidden_dropout_prob", 0);
  c.heads.dropout = probability(fields, "attention_probs_dropout_prob", 0);
  c.bias = fields.flag("qkv_bias", true);
  c.classes = single_label_classes(fields);
  if (c.patch > c.image)
    fields.fail("patch_size",
                fmt::format("patch_size {} is larger than the image, {}", c.patch, c.image));
  if (!fields.has("head_dim")) heads_divide(fields, "hidden_size", c.width, c.heads.count);
  fields.neutral({"encoder_stride", "pooler_output_size", "pooler_act"});
  return c;
}

class Embeddings {
 public:
  Embeddings(Builder& b, const Config& c) : b_(b), c_(c) {
    const Builder::Scope scope(b, "embeddings");
    cls_ = b.weight("cls_token", {1, 1, c.width});
    const int from = b.made();
    projection_ = {b,
                   "patch_embeddings.projection",
                   c.channels,
                   c.width,
                   {.kernel = c.patch, .stride = c.patch, .bias = true}};
    const int to = b.made();
    positions_ = b.weight("position_embeddings", {1, c.patches() + 1, c.width});
    b.registered_last(from, to);  // a module's own parameters come before its children's
  }
  Name operator()(const Name& pixels) const {
    const Builder::Scope scope(b_, "embeddings");
    Name x = patches(pixels);
    Name cls = fn::expand(cls_, {pixels.size(0), -1, -1});
    x = fn::cat({cls, x}, 1);
    x = fn::add(x, positions_);
    x = fn::dropout(x, c_.dropout);
    return x;
  }

 private:
  Name patches(const Name& pixels) const {
    Name x = projection_(pixels);
    return fn::transpose(fn::reshape(std::move(x), {pixels.size(0), c_.width, -1}), 1, 2);
  }

  Builder& b_;
  const Config& c_;
  Name cls_, positions_;
  Conv2d projection_;
};

class Layer {
 public:
  Layer(Builder& b, const Config& c, std::string name) : b_(b), c_(c), name_(std::move(name)) {
    const Builder::Scope scope(b, name_);
    const std::int64_t inside = c.heads.count * c.head;
    {
      const Builder::Scope part(b, "attention");
      query_ = {b, "q_proj", c.width, inside, c.bias};
      key_ = {b, "k_proj", c.width, inside, c.bias};
      value_ = {b, "v_proj", c.width, inside, c.bias};
      out_ = {b, "o_proj", inside, c.width, true};
    }
    before_ = {b, "layernorm_before", c.width};
    after_ = {b, "layernorm_after", c.width};
    const Builder::Scope part(b, "mlp");
    fc1_ = {b, "fc1", c.width, c.inner, true};
    fc2_ = {b, "fc2", c.inner, c.width, true};
  }

  Name operator()(Name hidden) const {
    const Builder::Scope scope(b_, name_);
    Name residual = hidden;
    hidden = before_(hidden);
    hidden = attention(hidden);
    hidden = fn::dropout(hidden, c_.dropout);
    hidden = fn::add(hidden, residual);
    residual = hidden;
    hidden = after_(hidden);
    hidden = mlp(hidden);
    hidden = fn::dropout(hidden, c_.dropout);
    hidden = fn::add(hidden, residual);
    return hidden;
  }

 private:
  Name attention(const Name& hidden) const {
    const Builder::Scope scope(b_, "attention");
    return attend_to_all(b_, query_, key_, value_, hidden, c_.heads, &out_);
  }
  Name mlp(const Name& hidden) const {
    const Builder::Scope scope(b_, "mlp");
    Name x = fc1_(hidden);
    x = activation(b_, c_.act, x);
    x = fc2_(x);
    return x;
  }

  Builder& b_;
  const Config& c_;
  std::string name_;
  Linear query_, key_, value_, out_, fc1_, fc2_;
  LayerNorm before_, after_;
};

Name build(Builder& b, const Spec& spec, Name) {
  Fields fields(spec.source->config);
  const Config c = read(fields);
  if (!begin(b, fields, spec, {"ViTForImageClassification"}, Task::ImageClassification)) return {};

  const Embeddings embeddings(b, c);
  const auto layers = make_layers<Layer>(b, c, "layers");
  const LayerNorm norm(b, "layernorm", c.width);
  const Linear classifier(b, "classifier", c.width, c.classes, true);

  b.forward_begins();
  const Name pixels =
      b.data("pixel_values", {spec.batch_size, c.channels, c.image, c.image}, b.model_dtype());
  const Name labels = b.data("labels", {spec.batch_size}, DType::Int64);
  Name sequence;
  {
    Name embedded = embeddings(pixels);
    Name hidden =
        run_layers(b, layers, embedded, [](const Layer& layer, const Name& x) { return layer(x); });
    sequence = norm(hidden);
    graph::leave(embedded, hidden);
  }
  Name pooled = fn::select(sequence, 1);
  Name logits = classifier(pooled);
  return token_loss(b, logits, labels);
}

}  // namespace

extern const Model vit{[](const ModelSource& source) { return is_type(source, {"vit"}); }, build};
}  // namespace forerun::models
