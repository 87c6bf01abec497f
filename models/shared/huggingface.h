// What every family of Hugging Face's has in common: which configuration is whose, the fields all
// of them have, the classes, tied weights, the cache of keys and values.
#pragma once

#include <initializer_list>
#include <string>
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

// torch.arange(length, device=...) + past_seen_tokens
Name position_ids(Builder& b, std::int64_t length);

// create_causal_mask without a mask given (masking_utils.py): there is none, but with no cache the
// positions are looked through for sequences packed into one row.
void look_for_packed_sequences(Builder& b, std::int64_t batch, std::int64_t length);

// transformers' DynamicCache in training: the first update copies keys and values by a cat with
// nothing, and they live until the model's output goes.
class KeyValueCache {
 public:
  // A layer with a sliding window also counts its tokens on the device.
  explicit KeyValueCache(bool sliding = false) : sliding_(sliding) {}
  void update(Name& key, Name& value);

 private:
  bool sliding_;
  std::vector<Name> held_;
};

}  // namespace forerun::models
