#include "core/config.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/files.h"
#include "core/yaml.h"

namespace forerun {
namespace {

constexpr std::int64_t kMaxConfigBytes = 8ll << 20;

ConfigValue converted(const YAML::Node& node, const std::string& path) {
  ConfigValue made;
  made.at = yaml::location(node, path);
  if (yaml::is_null(node)) return made;
  if (node.IsScalar()) {
    made.kind = ConfigValue::Kind::Scalar;
    made.text = node.Scalar();
    made.quoted = node.Tag() == "!";
    return made;
  }
  made.kind = node.IsMap() ? ConfigValue::Kind::Object : ConfigValue::Kind::List;
  for (const auto& entry : node) {
    if (node.IsMap()) made.names.push_back(entry.first.Scalar());
    made.items.push_back(converted(node.IsMap() ? entry.second : YAML::Node(entry), path));
  }
  return made;
}

std::string found(const ConfigValue& value) {
  switch (value.kind) {
    case ConfigValue::Kind::Null: return "null";
    case ConfigValue::Kind::List: return "a list";
    case ConfigValue::Kind::Object: return "an object";
    case ConfigValue::Kind::Scalar: break;
  }
  return value.quoted ? fmt::format("'{}'", value.text) : value.text;
}

}  // namespace

const ConfigValue* ConfigValue::find(const std::string& name) const {
  const auto place = std::find(names.begin(), names.end(), name);
  if (place == names.end()) return nullptr;
  const ConfigValue& value = items[static_cast<std::size_t>(place - names.begin())];
  return value.kind == Kind::Null ? nullptr : &value;
}

Result<ConfigValue> read_config(const std::string& path) {
  const auto text = read_file(path, kMaxConfigBytes);
  if (!text) return text.error();
  return parse_config(*text, path);
}

Result<ConfigValue> parse_config(const std::string& text, const std::string& path) {
  const auto root = yaml::parse(text, path);
  if (!root) return root.error();
  if (!root->IsMap()) {
    return error_at(yaml::location(*root, path),
                    fmt::format("the configuration is {}", yaml::describe(*root)),
                    "a JSON object, as config.json of a Hugging Face model");
  }
  return converted(*root, path);
}

const ConfigValue* Fields::get(const std::string& name) {
  read_.insert(name);
  return object_.find(name);
}

bool Fields::has(const std::string& name) { return get(name) != nullptr; }

Location Fields::at(const std::string& name) const {
  const ConfigValue* value = object_.find(name);
  return value == nullptr ? object_.at : value->at;
}

void Fields::fail(const std::string& name, std::string message, std::string accepted) {
  if (!problem_) problem_ = error_at(at(name), std::move(message), std::move(accepted));
}

std::optional<std::int64_t> Fields::maybe_integer(const std::string& name, std::int64_t least) {
  const ConfigValue* value = get(name);
  if (value == nullptr) return std::nullopt;
  const auto whole = value->kind == ConfigValue::Kind::Scalar && !value->quoted
                         ? yaml::to_integer(value->text)
                         : std::nullopt;
  if (whole && *whole >= least && *whole < (1ll << 40)) return whole;
  fail(name, fmt::format("{} is {}", name, found(*value)),
       fmt::format("a whole number of at least {}", least));
  return std::nullopt;
}

std::int64_t Fields::integer(const std::string& name, std::optional<std::int64_t> fallback,
                             std::int64_t least) {
  const auto value = maybe_integer(name, least);
  if (value) return *value;
  if (!fallback) fail(name, fmt::format("the configuration has no '{}'", name));
  return fallback.value_or(least);
}

std::int64_t Fields::count(const std::string& name, std::optional<std::int64_t> fallback) {
  constexpr std::int64_t kMost = 10'000;
  const std::int64_t value = integer(name, fallback);
  if (value <= kMost) return value;
  fail(name, fmt::format("{} is {}", name, value), fmt::format("at most {}", kMost));
  return 1;
}

double Fields::number(const std::string& name, std::optional<double> fallback) {
  const ConfigValue* value = get(name);
  if (value == nullptr) {
    if (!fallback) fail(name, fmt::format("the configuration has no '{}'", name));
    return fallback.value_or(0);
  }
  const auto real = value->kind == ConfigValue::Kind::Scalar && !value->quoted
                        ? yaml::to_real(value->text)
                        : std::nullopt;
  if (!real) fail(name, fmt::format("{} is {}", name, found(*value)), "a number");
  return real.value_or(0);
}

bool Fields::flag(const std::string& name, bool fallback) {
  const ConfigValue* value = get(name);
  if (value == nullptr) return fallback;
  const auto known = value->kind == ConfigValue::Kind::Scalar && !value->quoted
                         ? yaml::to_boolean(value->text)
                         : std::nullopt;
  if (!known) fail(name, fmt::format("{} is {}", name, found(*value)), "true or false");
  return known.value_or(fallback);
}

std::string Fields::word(const std::string& name, std::optional<std::string> fallback) {
  const ConfigValue* value = get(name);
  if (value == nullptr) {
    if (!fallback) fail(name, fmt::format("the configuration has no '{}'", name));
    return fallback.value_or("");
  }
  if (value->kind == ConfigValue::Kind::Scalar) return value->text;
  fail(name, fmt::format("{} is {}", name, found(*value)), "a word");
  return fallback.value_or("");
}

std::vector<std::int64_t> Fields::integers(const std::string& name,
                                           std::vector<std::int64_t> fallback) {
  const ConfigValue* value = get(name);
  if (value == nullptr) return fallback;
  std::vector<std::int64_t> made;
  for (const ConfigValue& item : value->items) {
    const auto whole = yaml::to_integer(item.text);
    if (item.kind == ConfigValue::Kind::Scalar && whole && *whole >= 0) made.push_back(*whole);
  }
  if (value->kind == ConfigValue::Kind::List && made.size() == value->items.size()) return made;
  fail(name, fmt::format("{} is {}", name, found(*value)), "a list of whole numbers");
  return fallback;
}

std::vector<std::string> Fields::words(const std::string& name) {
  std::vector<std::string> made;
  const ConfigValue* value = get(name);
  if (value == nullptr) return made;
  for (const ConfigValue& item : value->items) made.push_back(item.text);
  return made;
}

const ConfigValue* Fields::object(const std::string& name) {
  const ConfigValue* value = get(name);
  if (value == nullptr) return nullptr;
  if (value->kind == ConfigValue::Kind::Object) return value;
  fail(name, fmt::format("{} is {}", name, found(*value)), "an object");
  return nullptr;
}

void Fields::only(const std::string& name, bool modelled) {
  if (flag(name, modelled) == modelled) return;
  fail(name, fmt::format("{}: {} is not modelled", name, !modelled),
       fmt::format("{}: {}", name, modelled));
}

void Fields::only(const std::string& name, const std::vector<std::string>& modelled,
                  const std::string& fallback) {
  const std::string value = word(name, fallback);
  if (std::find(modelled.begin(), modelled.end(), value) != modelled.end()) return;
  fail(name, fmt::format("{}: '{}' is not modelled", name, value),
       fmt::format("{}", fmt::join(modelled, ", ")));
}

void Fields::neutral(std::initializer_list<const char*> names) {
  for (const char* name : names) read_.insert(name);
}

std::vector<std::string> Fields::unread() const {
  std::vector<std::string> made;
  for (std::size_t i = 0; i < object_.names.size(); ++i) {
    const bool null = object_.items[i].kind == ConfigValue::Kind::Null;
    if (!null && read_.count(object_.names[i]) == 0) made.push_back(object_.names[i]);
  }
  return made;
}

}  // namespace forerun
