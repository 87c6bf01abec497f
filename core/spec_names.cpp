// The spec's own words for its choices, and typed access to a layer's arguments.
#include <algorithm>

#include <fmt/format.h>

#include "core/nearest.h"
#include "core/spec.h"

namespace forerun {
namespace {

const LayerSpec::Argument* find(const LayerSpec& layer, const std::string& name) {
  const auto found = std::find_if(layer.arguments.begin(), layer.arguments.end(),
                                  [&](const auto& argument) { return argument.name == name; });
  return found == layer.arguments.end() ? nullptr : &*found;
}

std::string describe(const SpecValue& value) {
  struct Describe {
    std::string operator()(std::monostate) const { return "empty"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t n) const { return std::to_string(n); }
    std::string operator()(double x) const { return fmt::format("{}", x); }
    std::string operator()(const std::string& text) const {
      return fmt::format("'{}'", text.size() <= 60 ? text : text.substr(0, 57) + "...");
    }
    std::string operator()(const SpecValue::List&) const { return "a list"; }
  };
  return std::visit(Describe{}, value.value);
}

Error missing(const LayerSpec& layer, const std::string& name, const std::string& expected) {
  return error_at(layer.at, fmt::format("{} has no '{}'", layer.kind, name),
                  fmt::format("{}: {}", name, expected));
}

Error wrong(const LayerSpec& layer, const LayerSpec::Argument& argument,
            const std::string& expected) {
  return error_at(argument.value.at,
                  fmt::format("{}.{} is {}, expected {}", layer.kind, argument.name,
                              describe(argument.value), expected));
}

}  // namespace

Result<std::int64_t> positive(const LayerSpec& layer, const std::string& name,
                              std::optional<std::int64_t> fallback) {
  const auto* argument = find(layer, name);
  if (argument == nullptr && fallback) return *fallback;
  if (argument == nullptr) return missing(layer, name, "a positive integer");
  const auto* value = std::get_if<std::int64_t>(&argument->value.value);
  if (value == nullptr || *value < 1)
    return wrong(layer, *argument, "a positive integer of at most 64 bits");
  return *value;
}

Result<bool> flag(const LayerSpec& layer, const std::string& name, bool fallback) {
  const auto* argument = find(layer, name);
  if (argument == nullptr) return fallback;
  const auto* value = std::get_if<bool>(&argument->value.value);
  if (value == nullptr) return wrong(layer, *argument, "true or false");
  return *value;
}

Result<double> number(const LayerSpec& layer, const std::string& name,
                      std::optional<double> fallback) {
  const auto* argument = find(layer, name);
  if (argument == nullptr && fallback) return *fallback;
  if (argument == nullptr) return missing(layer, name, "a number");
  if (const auto* whole = std::get_if<std::int64_t>(&argument->value.value))
    return static_cast<double>(*whole);
  const auto* value = std::get_if<double>(&argument->value.value);
  if (value == nullptr) return wrong(layer, *argument, "a number");
  return *value;
}

Result<std::string> word(const LayerSpec& layer, const std::string& name,
                         std::optional<std::string> fallback) {
  const auto* argument = find(layer, name);
  if (argument == nullptr && fallback) return *fallback;
  if (argument == nullptr) return missing(layer, name, "a word");
  const auto* value = std::get_if<std::string>(&argument->value.value);
  if (value == nullptr) return wrong(layer, *argument, "a word");
  return *value;
}

bool has_argument(const LayerSpec& layer, const std::string& name) {
  return find(layer, name) != nullptr;
}

Result<Shape> sizes(const LayerSpec& layer, const std::string& name, std::size_t dimensions,
                    std::int64_t least, std::optional<std::int64_t> fallback) {
  const auto* argument = find(layer, name);
  const std::string expected =
      fmt::format("an integer of at least {}, or {} of them", least, dimensions);
  if (argument == nullptr && fallback) return Shape(dimensions, *fallback);
  if (argument == nullptr) return missing(layer, name, expected);
  const auto* list = std::get_if<SpecValue::List>(&argument->value.value);
  if (list != nullptr && list->size() != dimensions) return wrong(layer, *argument, expected);
  Shape made;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const SpecValue& item = list == nullptr ? argument->value : (*list)[i];
    const auto* value = std::get_if<std::int64_t>(&item.value);
    if (value == nullptr || *value < least) return wrong(layer, *argument, expected);
    made.push_back(*value);
  }
  return made;
}

Status only_arguments(const LayerSpec& layer, const std::vector<std::string>& known) {
  const bool takes_layers = std::find(known.begin(), known.end(), "layers") != known.end();
  if (!layer.layers.empty() && !takes_layers)
    return error_at(layer.at, fmt::format("{} holds no layers of its own", layer.kind));
  for (const LayerSpec::Argument& argument : layer.arguments) {
    if (std::find(known.begin(), known.end(), argument.name) != known.end()) continue;
    const std::string help = known.empty() ? fmt::format("{} takes no arguments", layer.kind)
                                           : suggest(argument.name, known);
    return error_at(argument.at, fmt::format("{} has no argument '{}'", layer.kind, argument.name),
                    help);
  }
  return Done{};
}

std::optional<DType> autocast_dtype(Precision precision) {
  if (precision == Precision::Bf16Mixed) return DType::BFloat16;
  if (precision == Precision::Fp16Mixed) return DType::Float16;
  return std::nullopt;
}

std::string_view name(Precision precision) {
  switch (precision) {
    case Precision::Fp32: return "fp32";
    case Precision::Bf16: return "bf16";
    case Precision::Bf16Mixed: return "bf16-mixed";
    case Precision::Fp16Mixed: return "fp16-mixed";
  }
  return "";
}

std::string_view name(OptimizerKind kind) {
  switch (kind) {
    case OptimizerKind::Sgd: return "sgd";
    case OptimizerKind::Adam: return "adam";
    case OptimizerKind::AdamW: return "adamw";
    case OptimizerKind::Adagrad: return "adagrad";
    case OptimizerKind::RmsProp: return "rmsprop";
    case OptimizerKind::Adamax: return "adamax";
    case OptimizerKind::NAdam: return "nadam";
  }
  return "";
}

std::string_view name(OptimizerImplementation implementation) {
  switch (implementation) {
    case OptimizerImplementation::Foreach: return "foreach";
    case OptimizerImplementation::Fused: return "fused";
    case OptimizerImplementation::ForLoop: return "for-loop";
  }
  return "";
}

std::string_view name(LossKind loss) {
  switch (loss) {
    case LossKind::CrossEntropy: return "cross_entropy";
    case LossKind::Mse: return "mse";
    case LossKind::BceWithLogits: return "bce_with_logits";
    case LossKind::L1: return "l1";
    case LossKind::SmoothL1: return "smooth_l1";
    case LossKind::Huber: return "huber";
    case LossKind::Nll: return "nll";
  }
  return "";
}

std::string_view name(Setup setup) {
  switch (setup) {
    case Setup::ModelFirst: return "model-first";
    case Setup::DataFirst: return "data-first";
    case Setup::OnDevice: return "on-device";
  }
  return "";
}

std::string name(const Framework& framework) {
  const bool python = framework.frontend == Framework::Frontend::PyTorch;
  return fmt::format("{}-{}.{}", python ? "pytorch" : "libtorch", framework.major, framework.minor);
}

}  // namespace forerun
