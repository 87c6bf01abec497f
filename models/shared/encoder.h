// What encoders have in common: attention of every token to every other without a mask, and the
// loss of a classifier (transformers 5.24).
#pragma once

#include <string>

#include "core/config.h"
#include "models/shared/modules.h"

namespace forerun::models {

// How many heads a layer's attention has, and the dropout of their weights.
struct Heads {
  std::int64_t count = 1;
  double dropout = 0;
};

// The layer's projections of x [batch, length, width], attention in its heads without a mask
// (create_bidirectional_mask gives None where attention_mask is None), and the heads beside each
// other again: [batch, length, width]. Where `out` is given, the same forward() projects them too:
// queries, keys and values live until it returns.
Name attend_to_all(Builder& b, const Linear& query, const Linear& key, const Linear& value,
                   const Name& x, const Heads& heads, const Linear* out = nullptr);

// A classifier's classes: one label of several. Regression and several labels at once are refused,
// with the field's place.
std::int64_t single_label_classes(Fields& fields);

// CrossEntropyLoss()(logits.view(-1, classes), labels.view(-1)); logits [..., classes].
Name token_loss(Builder& b, const Name& logits, const Name& labels);

}  // namespace forerun::models
