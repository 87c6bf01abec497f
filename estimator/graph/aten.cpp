#include "estimator/graph/aten.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace forerun::graph {

using readers::Argument;

const Argument* AtenCall::find(std::string_view name) const {
  const auto found =
      std::find_if(node_.inputs.begin(), node_.inputs.end(),
                   [&](const readers::NamedArgument& one) { return one.name == name; });
  if (found == node_.inputs.end() || found->value.kind == Argument::Kind::None) return nullptr;
  return &found->value;
}

void AtenCall::refuse(const std::string& what) const {
  const std::string module = node_.module.empty() ? "" : ", " + node_.module;
  builder_.fail(error(fmt::format("node '{}' ({}{}): {}", node_.name, node_.target, module, what)));
}

bool AtenCall::is_tensor(std::string_view name) const {
  const Argument* found = find(name);
  return found != nullptr && found->kind == Argument::Kind::Tensor;
}

bool AtenCall::trains() const {
  for (const readers::NamedArgument& one : node_.inputs) {
    if (scope_.trains.count(one.value.text) > 0) return true;
    for (const std::string& name : one.value.names)
      if (scope_.trains.count(name) > 0) return true;
  }
  return false;
}

Name AtenCall::maybe_tensor(std::string_view name) const {
  const Argument* found = find(name);
  if (found == nullptr || builder_.failed()) return {};
  if (found->kind != Argument::Kind::Tensor) {
    refuse(fmt::format("'{}' is no tensor", name));
    return {};
  }
  const auto known = scope_.tensors.find(found->text);
  if (known != scope_.tensors.end()) return known->second;
  refuse(fmt::format("the tensor '{}' is not known there", found->text));
  return {};
}

Name AtenCall::tensor(std::string_view name) const {
  Name made = maybe_tensor(name);
  if (!made && !builder_.failed()) refuse(fmt::format("there is no '{}'", name));
  return made;
}

std::vector<Name> AtenCall::tensors(std::string_view name) const {
  const Argument* found = find(name);
  if (found == nullptr || found->kind != Argument::Kind::Tensors) {
    refuse(fmt::format("'{}' is no list of tensors", name));
    return {};
  }
  std::vector<Name> made;
  for (const std::string& one : found->names) {
    const auto known = scope_.tensors.find(one);
    if (one.empty()) {
      made.emplace_back();
    } else if (known != scope_.tensors.end()) {
      made.push_back(known->second);
    } else {
      refuse(fmt::format("the tensor '{}' is not known there", one));
      return {};
    }
  }
  return made;
}

std::optional<std::int64_t> AtenCall::value_of(const readers::Integer& integer) const {
  if (integer.name.empty()) return integer.value;
  const auto known = scope_.integers.find(integer.name);
  if (known != scope_.integers.end()) return known->second;
  refuse(fmt::format("the size '{}' is not known there", integer.name));
  return std::nullopt;
}

std::int64_t AtenCall::integer(std::string_view name, std::int64_t fallback) const {
  const Argument* found = find(name);
  if (found == nullptr) return fallback;
  if (found->kind == Argument::Kind::Integer)
    return value_of(found->integers[0]).value_or(fallback);
  refuse(fmt::format("'{}' is no whole number", name));
  return fallback;
}

Shape AtenCall::integers(std::string_view name, const Shape& fallback) const {
  const Argument* found = find(name);
  if (found == nullptr) return fallback;
  // torch's schemas take one number for a list of them.
  if (found->kind != Argument::Kind::Integers && found->kind != Argument::Kind::Integer) {
    const bool empty = found->kind == Argument::Kind::Tensors && found->names.empty();
    if (!empty) refuse(fmt::format("'{}' is no list of whole numbers", name));
    return fallback;
  }
  Shape made;
  for (const readers::Integer& one : found->integers) made.push_back(value_of(one).value_or(1));
  return made;
}

bool AtenCall::flag(std::string_view name, bool fallback) const {
  const Argument* found = find(name);
  if (found == nullptr) return fallback;
  if (found->kind == Argument::Kind::Flag) return found->flag;
  refuse(fmt::format("'{}' is neither true nor false", name));
  return fallback;
}

double AtenCall::number(std::string_view name, double fallback) const {
  const Argument* found = find(name);
  if (found == nullptr) return fallback;
  if (found->kind == Argument::Kind::Number) return found->number;
  if (found->kind == Argument::Kind::Integer)
    return static_cast<double>(value_of(found->integers[0]).value_or(0));
  if (found->kind == Argument::Kind::Flag) return found->flag ? 1 : 0;
  refuse(fmt::format("'{}' is no number", name));
  return fallback;
}

std::string AtenCall::text(std::string_view name, const std::string& fallback) const {
  const Argument* found = find(name);
  if (found == nullptr) return fallback;
  if (found->kind == Argument::Kind::Text) return found->text;
  refuse(fmt::format("'{}' is no text", name));
  return fallback;
}

std::optional<DType> AtenCall::type(std::string_view name) const {
  const Argument* found = find(name);
  if (found == nullptr) return std::nullopt;
  if (found->kind != Argument::Kind::Type || !found->dtype)
    refuse(fmt::format("'{}' is an element type that is not modelled", name));
  return found->dtype;
}

std::int64_t AtenCall::dim(const Name& of, std::string_view name, std::int64_t fallback) const {
  const auto count = static_cast<std::int64_t>(of.shape().size());
  const std::int64_t given = integer(name, fallback);
  const std::int64_t made = given < 0 ? given + count : given;
  if (made >= 0 && made < std::max<std::int64_t>(count, 1)) return made;
  refuse(fmt::format("'{}' is {}, but the tensor has {} dimensions", name, given, count));
  return 0;
}

const AtenOperator* find_aten(std::string_view target) {
  static const auto kAll = [] {
    std::unordered_map<std::string_view, const AtenOperator*> made;
    for (const auto& part :
         {aten_views(), aten_pointwise(), aten_reductions(), aten_layers(), aten_factories()})
      for (const AtenOperator& one : part) made.emplace(one.name, &one);
    return made;
  }();
  constexpr std::string_view kAten = "torch.ops.aten.";
  if (target.substr(0, kAten.size()) == kAten) target.remove_prefix(kAten.size());
  const auto found = kAll.find(target);
  return found == kAll.end() ? nullptr : found->second;
}

}  // namespace forerun::graph
