#include "models/shared/huggingface.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace forerun::models {

namespace fn = graph::fn;

bool is_type(const ModelSource& source, std::initializer_list<const char*> types) {
  if (source.kind != ModelSource::Kind::HfConfig) return false;
  const ConfigValue* type = source.config.find("model_type");
  return type != nullptr && std::any_of(types.begin(), types.end(),
                                        [&](const char* one) { return type->text == one; });
}

namespace {

const char* auto_class(Task task) {
  switch (task) {
    case Task::CausalLm: return "AutoModelForCausalLM";
    case Task::MaskedLm: return "AutoModelForMaskedLM";
    case Task::SequenceClassification: return "AutoModelForSequenceClassification";
    case Task::Seq2SeqLm: return "AutoModelForSeq2SeqLM";
    case Task::ImageClassification: return "AutoModelForImageClassification";
  }
  return "";
}

// PreTrainedConfig's own fields, which change nothing of a training step's memory.
void common_fields(Fields& fields) {
  fields.neutral({"_name_or_path",
                  "architectures",
                  "model_type",
                  "transformers_version",
                  "dtype",
                  "torch_dtype",
                  "bos_token_id",
                  "eos_token_id",
                  "pad_token_id",
                  "sep_token_id",
                  "decoder_start_token_id",
                  "initializer_range",
                  "initializer_factor",
                  "is_encoder_decoder",
                  "id2label",
                  "label2id",
                  "num_labels",
                  "return_dict",
                  "task_specific_params",
                  "tokenizer_class",
                  "finetuning_task",
                  "use_cache",
                  "tie_word_embeddings",
                  "problem_type",
                  "prefix",
                  "bad_words_ids",
                  "cross_attention_hidden_size",
                  "auto_map",
                  "torchscript",
                  "gradient_checkpointing",
                  "pruned_heads",
                  "chunk_size_feed_forward",
                  "language",
                  "generation_config",
                  "_commit_hash",
                  "max_length",
                  "num_return_sequences",
                  "temperature",
                  "top_k",
                  "top_p",
                  "is_decoder",
                  "rms_norm_eps",
                  "layer_norm_eps"});
  fields.only("output_attentions", false);
  fields.only("output_hidden_states", false);
  fields.only("_attn_implementation", {"sdpa"}, "sdpa");
  fields.only("attn_implementation", {"sdpa"}, "sdpa");
  fields.only("_attn_implementation_internal", {"sdpa"}, "sdpa");
  fields.flag("is_decoder", false);  // either: a decoder is causal without being told
  if (fields.has("quantization_config"))
    fields.fail("quantization_config", "quantised weights are not modelled",
                "no quantization_config");
  if (fields.integer("chunk_size_feed_forward", 0, 0) > 0)
    fields.fail("chunk_size_feed_forward", "feed-forward in chunks is not modelled",
                "chunk_size_feed_forward: 0");
}

}  // namespace

std::optional<Task> task_of(Builder& b, const Spec& spec, const std::vector<TaskOf>& known) {
  const std::string& name = spec.source->name;
  std::vector<std::string> accepted;
  for (const TaskOf& one : known) {
    if (name == one.own_class || name == auto_class(one.task)) return one.task;
    accepted.emplace_back(auto_class(one.task));
    accepted.push_back(one.own_class);
  }
  b.fail(error_at(spec.source->at, fmt::format("class {} is not modelled for this family", name),
                  fmt::format("{}", fmt::join(accepted, ", "))));
  return std::nullopt;
}

bool begin(Builder& b, Fields& fields, const Spec& spec, const std::vector<std::string>& classes,
           Task task) {
  common_fields(fields);
  if (fields.failed()) {
    b.fail(fields.error());
    return false;
  }
  std::vector<TaskOf> known;
  for (const std::string& one : classes) known.push_back({task, one});
  if (!task_of(b, spec, known)) return false;
  const auto unread = fields.unread();
  if (!unread.empty())
    b.note(
        fmt::format("of the configuration, taken to change no byte: {}", fmt::join(unread, ", ")));
  if (spec.framework.frontend == Framework::Frontend::LibTorch)
    b.fail(error_at(spec.framework.at, "transformers' models are Python's alone",
                    "framework: pytorch-2.11"));
  if (spec.checkpoint == "segments")
    b.fail(error_at({spec.path, {}, {}}, "checkpoint segments are for a list of layers",
                    "checkpoint: every_block"));
  return !b.failed();
}

std::int64_t labels_of(Fields& fields) {
  const ConfigValue* names = fields.object("id2label");
  const std::int64_t count = names == nullptr ? 2 : static_cast<std::int64_t>(names->items.size());
  return fields.integer("num_labels", std::max<std::int64_t>(count, 1));
}

std::int64_t text_length(Builder& b, const Spec& spec, std::int64_t most) {
  if (!spec.sequence_length) {
    b.fail(
        error_at({spec.path, {}, {}}, "the spec has no 'sequence_length'", "sequence_length: 512"));
    return 1;
  }
  if (most > 0 && *spec.sequence_length > most)
    b.fail(error_at(spec.sequence_length_at,
                    fmt::format("sequence_length is {}, but the model has {} positions",
                                *spec.sequence_length, most),
                    fmt::format("at most {}", most)));
  return *spec.sequence_length;
}

double probability(Fields& fields, const std::string& name, double fallback) {
  const double value = fields.number(name, fallback);
  if (!(value >= 0 && value < 1))
    fields.fail(name, fmt::format("{} is {}", name, value), "a number from 0 to below 1");
  return value;
}

std::string activation_word(Fields& fields, const std::string& name, const std::string& fallback) {
  std::string word = fields.word(name, fallback);
  if (!known_activation(word))
    fields.fail(name, fmt::format("{} '{}' is not modelled", name, word),
                fmt::format("{}", fmt::join(activations(), ", ")));
  return word;
}

void heads_divide(Fields& fields, const std::string& width_name, std::int64_t width,
                  std::int64_t heads) {
  if (width % heads != 0)
    fields.fail(width_name,
                fmt::format("{} {} is not a multiple of {} heads", width_name, width, heads));
}

void tie(Builder& b, Name& parameter, const Name& to) {
  b.discard(parameter);
  parameter = to;
}

Name padded_bias(Builder& b, const Name& bias) {
  if (!bias) return {};
  Name copy = b.keep_as_weight("bias", fn::zeros(b, bias.shape(), bias.dtype()));
  b.discard(bias);
  return copy;
}

void tie_head(Builder& b, Linear& head, const Name& table) {
  tie(b, head.weight, table);
  const Builder::Scope scope(b, head.name);
  if (head.bias) head.bias = padded_bias(b, head.bias);
}

Name labelled_tokens(Builder& b, const Spec& spec, std::int64_t length) {
  Name ids = b.data("input_ids", {spec.batch_size, length}, DType::Int64);
  b.labels_are(ids);
  return ids;
}

Name position_ids(Builder& b, std::int64_t length) { return fn::add_number(fn::arange(b, length)); }

void look_for_packed_sequences(Builder& b, std::int64_t batch, std::int64_t length) {
  const Builder::Scope scope(b, "mask");
  auto made = [&](Shape shape, DType dtype) { return fn::zeros(b, std::move(shape), dtype); };
  Name dummy = made({batch, 1}, DType::Int64);
  Name joined = made({batch, length + 1}, DType::Int64);
  Name difference = made({batch, length}, DType::Int64);
  joined.reset();
  Name unequal = made({batch, length}, DType::Bool);
  Name sums = made({batch, length}, DType::Int64);
  Name widened = made({batch, length}, DType::Int64);
  unequal.reset();
  widened.reset();
  Name none = made({batch}, DType::Bool);
  Name all = made({}, DType::Bool);
}

void KeyValueCache::update(Name& key, Name& value) {
  if (!kept_) return;
  if (sliding_ && key) held_.push_back(fn::scalar(key.builder(), DType::Int64));
  Name keys = fn::cat({key}, -2);
  Name values = fn::cat({value}, -2);
  key = std::move(keys);
  value = std::move(values);
  held_.push_back(key);
  held_.push_back(value);
}

}  // namespace forerun::models
