// What every family of Hugging Face's has in common: which configuration is whose, the fields all
// of them have, the classes, tied weights, the cache of keys and values.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/config.h"
#include "core/spec.h"
#include "estimator/graph/builder.h"
#include "models/shared/modules.h"

namespace forerun::models {

bool is_type(const ModelSource& source, std::initializer_list<const char*> types);

enum class Task { CausalLm, MaskedLm, SequenceClassification, Seq2SeqLm, ImageClassification };

// Checks the class ("AutoModelForCausalLM" or one of the family's own), reads the fields that
// change nothing, refuses those that no family models, notes the ones nobody knows. False: an error
// came.
bool begin(Builder& b, Fields& fields, const Spec& spec, const std::vector<std::string>& classes,
           Task task);

// A family with more than one task: which one the class names, of those in the list.
struct TaskOf {
  Task task;
  std::string own_class;
};
std::optional<Task> task_of(Builder& b, const Spec& spec, const std::vector<TaskOf>& known);

// len(id2label), or num_labels: how many classes a classifier has.
std::int64_t labels_of(Fields& fields);

// Tokens a sample; at most `most` where the model has a table of positions (0: no table).
std::int64_t text_length(Builder& b, const Spec& spec, std::int64_t most);

double probability(Fields& fields, const std::string& name, double fallback);
std::string activation_word(Fields& fields, const std::string& name, const std::string& fallback);
void heads_divide(Fields& fields, const std::string& width_name, std::int64_t width,
                  std::int64_t heads);

// tie_weights: the parameter becomes the other one; its own memory goes.
void tie(Builder& b, Name& parameter, const Name& to);

// The same for a head with a bias, which _adjust_bias pads by nothing: a copy takes its place.
void tie_head(Builder& b, Linear& head, const Name& table);
Name padded_bias(Builder& b, const Name& bias);

// The batch's tokens [batch, length], which are its labels too.
Name labelled_tokens(Builder& b, const Spec& spec, std::int64_t length);

// torch.arange(length, device=...) + past_seen_tokens
Name position_ids(Builder& b, std::int64_t length);

// create_causal_mask without a mask given (masking_utils.py): there is none, but with no cache the
// positions are looked through for sequences packed into one row.
void look_for_packed_sequences(Builder& b, std::int64_t batch, std::int64_t length);

// transformers' DynamicCache in training: the first update copies keys and values by a cat with
// nothing, and they live until the model's output goes.
class KeyValueCache {
 public:
  // There is none where the configuration says so (use_cache), nor under checkpoints. A layer with
  // a sliding window also counts its tokens on the device.
  KeyValueCache(const Builder& b, bool asked, bool sliding = false)
      : kept_(asked && !b.checkpoints()), sliding_(sliding) {}
  bool kept() const { return kept_; }
  void update(Name& key, Name& value);

 private:
  bool kept_, sliding_;
  std::vector<Name> held_;
};

// The model's c.layers layers, called "<list>.0" and on.
template <class Layer, class Config>
std::vector<Layer> make_layers(Builder& b, const Config& c, const std::string& list) {
  std::vector<Layer> made;
  for (std::int64_t i = 0; i < c.layers; ++i)
    made.emplace_back(b, c, list + "." + std::to_string(i));
  return made;
}

// for layer in layers: hidden = layer(hidden, ...); each is what one checkpoint surrounds.
template <class Layer, class Call>
Name run_layers(Builder& b, const std::vector<Layer>& layers, Name hidden, Call call) {
  for (const Layer& layer : layers) {
    b.begin_block();
    Name next = call(layer, hidden);
    b.end_block();
    hidden = std::move(next);
  }
  return hidden;
}

}  // namespace forerun::models
