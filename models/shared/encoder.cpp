#include "models/shared/encoder.h"

#include <utility>

#include "models/shared/huggingface.h"

namespace forerun::models {

namespace fn = graph::fn;

namespace {

Name in_heads(const Linear& projection, const Name& x, std::int64_t heads) {
  Name y = projection(x);
  const std::int64_t head = y.size(-1) / heads;
  return fn::transpose(fn::reshape(std::move(y), {x.size(0), x.size(1), -1, head}), 1, 2);
}

}  // namespace

Name attend_to_all(Builder& b, const Linear& query, const Linear& key, const Linear& value,
                   const Name& x, const Heads& heads, const Linear* out) {
  if (!x) return {};
  Name q = in_heads(query, x, heads.count);
  Name k = in_heads(key, x, heads.count);
  Name v = in_heads(value, x, heads.count);
  Name attended = sdpa(b, q, k, v, {.dropout = heads.dropout, .causal = false});
  attended = merge_heads(attended);
  if (out != nullptr) attended = (*out)(attended);
  graph::leave(q, k, v);
  return attended;
}

std::int64_t single_label_classes(Fields& fields) {
  const std::int64_t classes = labels_of(fields);
  const std::string kind = fields.word("problem_type", classes == 1 ? "regression" : "");
  if (!kind.empty() && kind != "single_label_classification")
    fields.fail(fields.has("problem_type") ? "problem_type" : "id2label",
                "a classifier of problem_type '" + kind + "' is not modelled",
                "single_label_classification");
  return classes;
}

Name token_loss(Builder& b, const Name& logits, const Name& labels) {
  const Builder::Scope scope(b, "loss");
  Name rows = fn::reshape(logits, {-1, logits.size(-1)});
  Name targets = fn::reshape(labels, {-1});
  return fn::cross_entropy(std::move(rows), std::move(targets));
}

}  // namespace forerun::models
