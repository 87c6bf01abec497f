#include "core/spec.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "core/files.h"
#include "core/spec_allocator.h"
#include "core/yaml.h"

namespace forerun {
namespace {

constexpr std::int64_t kMaxSpecBytes = 4ll << 20;
constexpr std::size_t kMaxChain = 16;  // specs that run before one another
constexpr std::int64_t kMaxAccumulation = 10'000;

const std::vector<std::string> kKeys = {
    "model",           "input",      "target",       "loss",
    "batch_size",      "precision",  "optimizer",    "gradient_accumulation_steps",
    "clip_norm",       "checkpoint", "gpu",          "framework",
    "setup",           "after",      "dataset_size", "epochs",
    "sequence_length", "allocator"};

class Reader {
 public:
  Reader(const std::string& path, std::vector<std::string> chain)
      : path_(path), chain_(std::move(chain)) {}

  Result<Spec> read(const std::string& text) {
    const auto root = yaml::parse(text, path_);
    if (!root) return root.error();
    if (const Status known = yaml::only_keys(*root, path_, "the spec", kKeys); !known)
      return known.error();
    root_ = *root;
    spec_.path = path_;
    for (const auto field : {&Reader::model, &Reader::tensors, &Reader::training,
                             &Reader::optimizer, &Reader::surroundings, &Reader::after}) {
      if (const Status fine = (this->*field)(); !fine) return fine.error();
    }
    return std::move(spec_);
  }

 private:
  Location at(const YAML::Node& node) const { return yaml::location(node, path_); }
  // The value of a key, or null where it is absent or `null`.
  YAML::Node optional(const char* key) const {
    const YAML::Node node = std::as_const(root_)[key];
    return yaml::is_null(node) ? YAML::Node(YAML::NodeType::Null) : node;
  }
  Result<YAML::Node> required(const char* key) const {
    YAML::Node node = optional(key);
    if (node.IsNull()) return error_at(at(root_), fmt::format("the spec has no '{}'", key));
    return node;
  }
  // An enum by its place in the list of its words; nothing is written when the key is absent.
  template <class Enum>
  Status choose(const char* key, const std::vector<std::string>& words, Enum& into) const {
    const YAML::Node node = optional(key);
    if (node.IsNull()) return Done{};
    const auto chosen = yaml::choice(node, path_, key, words);
    if (!chosen) return chosen.error();
    into = static_cast<Enum>(*chosen);
    return Done{};
  }

  Status model();
  Status source(const YAML::Node& node);
  Status configuration(const YAML::Node& node, ModelSource& into) const;
  std::string beside(const std::string& path) const;
  Status loss();
  Status tensors();
  Status training();
  Status checkpoint();
  Status optimizer();
  Status optimizer_switches(const YAML::Node& node);
  Status surroundings();
  Status after();
  Result<std::vector<LayerSpec>> layers(const YAML::Node& list, const std::string& what) const;
  Result<LayerSpec> layer(const YAML::Node& node) const;
  Status arguments(const YAML::Node& node, LayerSpec& into) const;
  SpecValue value(const YAML::Node& node) const;
  Result<TensorSpec> tensor(const char* key, DType fallback) const;

  const std::string path_;
  const std::vector<std::string> chain_;  // canonical paths from the first spec to this one
  YAML::Node root_;
  Spec spec_;
};

SpecValue Reader::value(const YAML::Node& node) const {
  SpecValue made;
  made.at = at(node);
  if (node.IsSequence()) {
    SpecValue::List items;
    for (const YAML::Node& item : node) items.push_back(value(item));
    made.value = std::move(items);
  }
  if (!node.IsScalar()) return made;
  const std::string& text = node.Scalar();
  const bool plain = node.Tag() != "!";
  if (const auto whole = yaml::to_integer(text); whole && plain)
    made.value = *whole;
  else if (const auto real = yaml::to_real(text); real && plain && !yaml::looks_like_integer(text))
    made.value = *real;
  else if (const auto flag = yaml::to_boolean(text); flag && plain)
    made.value = *flag;
  else
    made.value = text;
  return made;
}

Status Reader::arguments(const YAML::Node& node, LayerSpec& into) const {
  for (const auto& entry : node) {
    const std::string& name = entry.first.Scalar();
    if (name == "layers") {
      auto inner = layers(entry.second, into.kind + ".layers");
      if (!inner) return inner.error();
      into.layers = std::move(*inner);
      continue;
    }
    if (entry.second.IsMap()) {
      return error_at(at(entry.second), fmt::format("{}.{} is a mapping", into.kind, name),
                      "a word, a number, a list, true or false");
    }
    into.arguments.push_back({name, value(entry.second), at(entry.first)});
  }
  return Done{};
}

Result<LayerSpec> Reader::layer(const YAML::Node& node) const {
  LayerSpec made;
  made.at = at(node);
  if (node.IsScalar()) {
    made.kind = node.Scalar();
    return made;
  }
  if (!node.IsMap() || node.size() != 1) {
    return error_at(at(node),
                    fmt::format("a layer is {}",
                                node.IsMap() ? "a mapping of several keys" : yaml::describe(node)),
                    "a name, or one name with its arguments: {linear: {in: 1024, out: 10}}");
  }
  const auto entry = *node.begin();
  made.kind = entry.first.Scalar();
  made.at = at(entry.first);
  if (entry.second.IsSequence()) {
    auto inner = layers(entry.second, made.kind);
    if (!inner) return inner.error();
    made.layers = std::move(*inner);
    return made;
  }
  if (yaml::is_null(entry.second)) return made;
  if (!entry.second.IsMap()) {
    return error_at(at(entry.second),
                    fmt::format("{} is given {}", made.kind, yaml::describe(entry.second)),
                    "a mapping of its arguments");
  }
  if (const Status fine = arguments(entry.second, made); !fine) return fine.error();
  return made;
}

Result<std::vector<LayerSpec>> Reader::layers(const YAML::Node& list,
                                              const std::string& what) const {
  if (!list.IsSequence())
    return error_at(at(list),
                    fmt::format("{} is {}, expected a list of layers", what, yaml::describe(list)));
  if (list.size() == 0)
    return error_at(at(list), fmt::format("{} has no layers", what), "at least one layer");
  std::vector<LayerSpec> made;
  for (const YAML::Node& item : list) {
    auto one = layer(item);
    if (!one) return one.error();
    made.push_back(std::move(*one));
  }
  return made;
}

Status Reader::model() {
  const auto node = required("model");
  if (!node) return node.error();
  if (node->IsMap()) return source(*node);
  auto made = layers(*node, "model");
  if (!made) return made.error();
  spec_.model = std::move(*made);
  return Done{};
}

Status Reader::source(const YAML::Node& node) {
  static const std::vector<std::string> kinds = {"hf_config", "torchvision", "exported", "pt2",
                                                 "onnx"};
  std::vector<std::string> known = kinds;
  known.emplace_back("class");
  if (const Status only = yaml::only_keys(node, path_, "model", known); !only) return only;
  std::vector<std::string> given;
  for (const std::string& one : kinds)
    if (node[one].IsDefined()) given.push_back(one);
  if (given.size() != 1)
    return error_at(at(node),
                    "the model is named by one of hf_config, torchvision, exported and onnx",
                    "model: {hf_config: config.json, class: AutoModelForCausalLM}");
  const YAML::Node kind = node["class"];
  if (given[0] != "hf_config" && kind.IsDefined())
    return error_at(at(kind), fmt::format("a model from {} has no 'class'", given[0]));
  const YAML::Node named = node[given[0]];
  const auto text = yaml::word(named, path_, "model." + given[0]);
  if (!text) return text.error();
  ModelSource made;
  made.at = at(named);
  made.name = *text;
  if (given[0] == "hf_config") {
    if (const Status read = configuration(node, made); !read) return read;
  } else if (given[0] == "torchvision") {
    made.kind = ModelSource::Kind::Torchvision;
  } else {
    made.kind = given[0] == "onnx" ? ModelSource::Kind::Onnx : ModelSource::Kind::Exported;
    made.name = beside(*text);
  }
  spec_.source = std::move(made);
  spec_.setup = Setup::OnDevice;
  return Done{};
}

// A path in the spec is relative to the spec's folder.
std::string Reader::beside(const std::string& path) const {
  return (std::filesystem::path(path_).parent_path() / path).string();
}

Status Reader::configuration(const YAML::Node& node, ModelSource& into) const {
  auto read = read_config(beside(into.name));
  if (!read && read.error().where.begin.line == 0)
    return error_at(into.at, fmt::format("hf_config '{}': {}", into.name, read.error().message));
  if (!read) return read.error();
  into.config = std::move(*read);
  if (const YAML::Node kind = node["class"]; kind.IsDefined()) {
    const auto name = yaml::word(kind, path_, "model.class");
    if (!name) return name.error();
    into.name = *name;
    into.at = at(kind);
    return Done{};
  }
  const ConfigValue* known = into.config.find("architectures");
  if (known == nullptr || known->items.empty())
    return error_at(at(node), "the model has no 'class', and its configuration no 'architectures'",
                    "model: {hf_config: config.json, class: AutoModelForCausalLM}");
  into.name = known->items[0].text;
  return Done{};
}

Result<TensorSpec> Reader::tensor(const char* key, DType fallback) const {
  const auto node = required(key);
  if (!node) return node.error();
  if (const Status known = yaml::only_keys(*node, path_, key, {"shape", "dtype"}); !known)
    return known.error();
  TensorSpec made;
  made.at = at(*node);
  made.dtype = fallback;
  const YAML::Node shape = std::as_const(*node)["shape"];
  if (!shape.IsDefined() || !shape.IsSequence()) {
    return error_at(
        shape.IsDefined() ? at(shape) : at(*node),
        fmt::format("{}.shape is {}, expected a list of sizes", key, yaml::describe(shape)),
        "the shape of one sample, [] for a single number");
  }
  for (const YAML::Node& item : shape) {
    const auto size = yaml::integer(item, path_, fmt::format("{}.shape", key), 1);
    if (!size) return size.error();
    made.shape.push_back(*size);
  }
  const YAML::Node dtype = std::as_const(*node)["dtype"];
  if (yaml::is_null(dtype)) return made;
  const std::vector<std::string> accepted = {"float32", "int64"};
  const auto chosen = yaml::choice(dtype, path_, fmt::format("{}.dtype", key), accepted);
  if (!chosen) return chosen.error();
  made.dtype = *chosen == 0 ? DType::Float32 : DType::Int64;
  return made;
}

// A name, or {name: cross_entropy, label_smoothing: 0.1}.
Status Reader::loss() {
  const std::vector<std::string> kinds = {
      "cross_entropy", "mse", "bce_with_logits", "l1", "smooth_l1", "huber", "nll"};
  const YAML::Node node = optional("loss");
  if (!node.IsMap()) return choose("loss", kinds, spec_.loss);
  if (const Status known = yaml::only_keys(node, path_, "loss", {"name", "label_smoothing"});
      !known)
    return known;
  const YAML::Node kind = std::as_const(node)["name"];
  if (!kind.IsDefined())
    return error_at(at(node), "the loss has no 'name'", "loss: {name: cross_entropy}");
  const auto chosen = yaml::choice(kind, path_, "loss", kinds);
  if (!chosen) return chosen.error();
  spec_.loss = static_cast<LossKind>(*chosen);
  const YAML::Node smoothing = std::as_const(node)["label_smoothing"];
  if (yaml::is_null(smoothing)) return Done{};
  const auto value = yaml::real(smoothing, path_, "loss.label_smoothing");
  if (!value) return value.error();
  if (*value < 0 || *value > 1) {
    return error_at(at(smoothing), fmt::format("loss.label_smoothing is {}", *value),
                    "a number from 0 to 1");
  }
  if (spec_.loss != LossKind::CrossEntropy)
    return error_at(at(smoothing), fmt::format("{} has no label_smoothing", name(spec_.loss)));
  spec_.label_smoothing = *value;
  return Done{};
}

Status Reader::tensors() {
  const YAML::Node length = optional("sequence_length");
  const bool brings_its_own = spec_.source && spec_.source->kind == ModelSource::Kind::HfConfig;
  if (!length.IsNull()) {
    if (!brings_its_own)
      return error_at(at(length), "sequence_length is for text models from hf_config",
                      "input: {shape: [128], dtype: int64}");
    const auto tokens = yaml::integer(length, path_, "sequence_length", 1);
    if (!tokens) return tokens.error();
    spec_.sequence_length = *tokens;
    spec_.sequence_length_at = at(length);
  }
  if (brings_its_own) {
    for (const char* key : {"input", "target", "loss"}) {
      const YAML::Node given = optional(key);
      if (!given.IsNull())
        return error_at(at(given), fmt::format("a model from hf_config brings its own {}", key),
                        "sequence_length and batch_size");
    }
    return Done{};
  }
  if (const Status fine = loss(); !fine) return fine;
  // An archive says what its inputs are, and may give the loss itself.
  const bool optional_tensors = spec_.source && spec_.source->is_file();
  if (!optional_tensors || !optional("input").IsNull()) {
    auto input = tensor("input", DType::Float32);
    if (!input) return input.error();
    spec_.input = std::move(*input);
  }
  if (optional_tensors && optional("target").IsNull()) return Done{};
  const bool classes = spec_.loss == LossKind::CrossEntropy || spec_.loss == LossKind::Nll;
  auto target = tensor("target", classes ? DType::Int64 : DType::Float32);
  if (!target) return target.error();
  spec_.target = std::move(*target);
  return Done{};
}

Status Reader::training() {
  const auto batch = required("batch_size");
  if (!batch) return batch.error();
  const auto size = yaml::integer(*batch, path_, "batch_size", 1);
  if (!size) return size.error();
  spec_.batch_size = *size;
  if (const Status fine =
          choose("precision", {"fp32", "bf16", "bf16-mixed", "fp16-mixed"}, spec_.precision);
      !fine)
    return fine;
  if (const YAML::Node steps = optional("gradient_accumulation_steps"); !steps.IsNull()) {
    const auto count = yaml::integer(steps, path_, "gradient_accumulation_steps", 1);
    if (!count) return count.error();
    if (*count > kMaxAccumulation) {
      return error_at(at(steps), fmt::format("gradient_accumulation_steps is {}", *count),
                      fmt::format("at most {}", kMaxAccumulation));
    }
    spec_.gradient_accumulation_steps = *count;
  }
  if (const YAML::Node clip = optional("clip_norm"); !clip.IsNull()) {
    const auto norm = yaml::real(clip, path_, "clip_norm");
    if (!norm) return norm.error();
    if (*norm <= 0)
      return error_at(at(clip), fmt::format("clip_norm is {}, expected a positive number", *norm),
                      "null for no clipping");
    spec_.clip_norm = *norm;
  }
  for (const auto& [key, into] :
       {std::pair{"dataset_size", &spec_.dataset_size}, std::pair{"epochs", &spec_.epochs}}) {
    const YAML::Node node = optional(key);
    if (node.IsNull()) continue;
    const auto count = yaml::integer(node, path_, key, 1);
    if (!count) return count.error();
    *into = *count;
  }
  return checkpoint();
}

Status Reader::checkpoint() {
  const YAML::Node node = optional("checkpoint");
  if (node.IsNull()) return Done{};
  if (!node.IsMap()) {
    const auto chosen = yaml::choice(node, path_, "checkpoint", {"every_block"});
    if (!chosen) return chosen.error();
    spec_.checkpoint = "every_block";
    return Done{};
  }
  if (const Status known = yaml::only_keys(node, path_, "checkpoint", {"segments"}); !known)
    return known;
  const YAML::Node segments = std::as_const(node)["segments"];
  if (!segments.IsDefined())
    return error_at(at(node), "checkpoint has no 'segments'", "checkpoint: {segments: 10}");
  const auto count = yaml::integer(segments, path_, "checkpoint.segments", 1);
  if (!count) return count.error();
  spec_.checkpoint = "segments";
  spec_.checkpoint_segments = *count;
  return Done{};
}

Status Reader::optimizer() {
  const auto node = required("optimizer");
  if (!node) return node.error();
  OptimizerSpec& made = spec_.optimizer;
  made.at = at(*node);
  const std::vector<std::string> kinds = {"sgd",     "adam",   "adamw", "adagrad",
                                          "rmsprop", "adamax", "nadam"};
  YAML::Node kind = *node;
  if (node->IsMap()) {
    const Status known =
        yaml::only_keys(*node, path_, "optimizer",
                        {"name", "implementation", "lr", "momentum", "weight_decay", "nesterov",
                         "amsgrad", "centered", "maximize"});
    if (!known) return known;
    kind.reset(std::as_const(*node)["name"]);
    if (!kind.IsDefined())
      return error_at(at(*node), "the optimizer has no 'name'",
                      "sgd, adam, adamw, adagrad, rmsprop, adamax, nadam");
  }
  const auto chosen = yaml::choice(kind, path_, "optimizer", kinds);
  if (!chosen) return chosen.error();
  made.name = static_cast<OptimizerKind>(*chosen);
  made.weight_decay = made.name == OptimizerKind::AdamW ? 0.01 : 0;
  if (!node->IsMap()) return Done{};
  for (const auto& [key, into] : {std::pair{"lr", &made.lr}, std::pair{"momentum", &made.momentum},
                                  std::pair{"weight_decay", &made.weight_decay}}) {
    const YAML::Node field = std::as_const(*node)[key];
    if (yaml::is_null(field)) continue;
    const auto value = yaml::real(field, path_, fmt::format("optimizer.{}", key));
    if (!value) return value.error();
    if (*value < 0)
      return error_at(at(field),
                      fmt::format("optimizer.{} is {}, expected 0 or more", key, *value));
    *into = *value;
    if (std::string_view(key) == "momentum" && made.name != OptimizerKind::Sgd &&
        made.name != OptimizerKind::RmsProp) {
      return error_at(at(field), fmt::format("{} has no momentum", name(made.name)),
                      "optimizer: {name: sgd, momentum: 0.9}");
    }
  }
  if (const Status fine = optimizer_switches(*node); !fine) return fine;
  const YAML::Node implementation = std::as_const(*node)["implementation"];
  if (yaml::is_null(implementation)) return Done{};
  const auto which = yaml::choice(implementation, path_, "optimizer.implementation",
                                  {"foreach", "fused", "for-loop"});
  if (!which) return which.error();
  made.implementation = static_cast<OptimizerImplementation>(*which);
  return Done{};
}

Status Reader::optimizer_switches(const YAML::Node& node) {
  using Kind = OptimizerKind;
  OptimizerSpec& made = spec_.optimizer;
  struct Switch {
    const char* key;
    bool* into;
    std::vector<Kind> of;  // empty: every optimizer has it
  };
  for (const Switch& one : {Switch{"nesterov", &made.nesterov, {Kind::Sgd}},
                            Switch{"amsgrad", &made.amsgrad, {Kind::Adam, Kind::AdamW}},
                            Switch{"centered", &made.centered, {Kind::RmsProp}},
                            Switch{"maximize", &made.maximize, {}}}) {
    const YAML::Node field = node[one.key];
    if (yaml::is_null(field)) continue;
    const auto value = field.IsScalar() ? yaml::to_boolean(field.Scalar()) : std::nullopt;
    if (!value)
      return error_at(at(field), fmt::format("optimizer.{} is {}", one.key, yaml::describe(field)),
                      "true or false");
    if (!one.of.empty() && std::find(one.of.begin(), one.of.end(), made.name) == one.of.end())
      return error_at(at(field), fmt::format("{} has no {}", name(made.name), one.key));
    *one.into = *value;
  }
  if (made.nesterov && made.momentum == 0)
    return error_at(at(node), "nesterov needs a momentum above 0",
                    "optimizer: {name: sgd, momentum: 0.9, nesterov: true}");
  return Done{};
}

Status Reader::surroundings() {
  if (const YAML::Node gpu = optional("gpu"); !gpu.IsNull()) {
    const auto text = yaml::word(gpu, path_, "gpu");
    if (!text) return text.error();
    spec_.gpu = *text;
    spec_.gpu_at = at(gpu);
  }
  if (const Status fine = choose("setup", {"model-first", "data-first", "on-device"}, spec_.setup);
      !fine)
    return fine;
  if (spec_.setup == Setup::OnDevice && !spec_.source)
    return error_at(at(optional("setup")), "a list of layers is not made on the device",
                    "model-first or data-first");
  if (const YAML::Node allocator = optional("allocator"); !allocator.IsNull()) {
    auto options = read_allocator(allocator, path_);
    if (!options) return options.error();
    spec_.allocator = *options;
  }
  const YAML::Node framework = optional("framework");
  if (framework.IsNull()) return Done{};
  const auto chosen =
      yaml::choice(framework, path_, "framework", {"pytorch-2.11", "libtorch-2.11"});
  if (!chosen) return chosen.error();
  spec_.framework.frontend =
      *chosen == 0 ? Framework::Frontend::PyTorch : Framework::Frontend::LibTorch;
  spec_.framework.at = at(framework);
  return Done{};
}

std::string canonical(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(path, ignored).string();
}

Result<Spec> read_chained(const std::string& path, std::vector<std::string> chain);

Status Reader::after() {
  const YAML::Node node = optional("after");
  if (node.IsNull()) return Done{};
  const auto text = yaml::word(node, path_, "after");
  if (!text) return text.error();
  const std::string path = (std::filesystem::path(path_).parent_path() / *text).string();
  for (const std::string& before : chain_) {
    if (before == canonical(path))
      return error_at(at(node), fmt::format("after: '{}' runs before itself", *text),
                      "a chain of specs that ends");
  }
  if (chain_.size() >= kMaxChain)
    return error_at(at(node), fmt::format("more than {} specs run before one another", kMaxChain));
  auto before = read_chained(path, chain_);
  if (!before && before.error().where.file == path && before.error().where.begin.line == 0) {
    return error_at(at(node), fmt::format("after: '{}': {}", *text, before.error().message));
  }
  if (!before) return before.error();
  spec_.after = std::make_shared<const Spec>(std::move(*before));
  return Done{};
}

Result<Spec> read_chained(const std::string& path, std::vector<std::string> chain) {
  const auto text = read_file(path, kMaxSpecBytes);
  if (!text) return text.error();
  chain.push_back(canonical(path));
  return Reader(path, std::move(chain)).read(*text);
}

}  // namespace

Result<Spec> read_spec(const std::string& path) { return read_chained(path, {}); }

Result<Spec> parse_spec(const std::string& text, const std::string& path) {
  return Reader(path, {canonical(path)}).read(text);
}

}  // namespace forerun
