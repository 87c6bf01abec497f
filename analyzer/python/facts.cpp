#include "analyzer/python/facts.h"

#include <algorithm>

namespace forerun::python {

namespace {

constexpr int kBaseBound = 8;  // of classes above classes: also what ends a circle of them

int found_or_none(const std::unordered_map<Id, int>& table, Id node) {
  const auto found = table.find(node);
  return found == table.end() ? -1 : found->second;
}

}  // namespace

int Facts::scope_of(Id node) const { return found_or_none(scope_by_node_, node); }
int Facts::function_of(Id node) const { return found_or_none(function_by_node_, node); }
int Facts::class_of(Id node) const { return found_or_none(class_by_node_, node); }

Variable* Facts::find_here(int scope, std::string_view name) {
  const auto found = table_.find({scope, name});
  return found == table_.end() ? nullptr : found->second;
}

Variable* Facts::find(int scope, std::string_view name) {
  for (int at = scope; at >= 0; at = scopes[static_cast<std::size_t>(at)].parent) {
    if (at != scope && scopes[static_cast<std::size_t>(at)].kind == ScopeKind::Class) continue;
    Variable* found = find_here(at, name);
    if (found != nullptr && !found->elsewhere) return found;
  }
  return nullptr;
}

// Bases are asked left to right, each before its own bases' neighbours; Python's order differs only
// in diamonds.
Variable* Facts::find_member(int cls, std::string_view name, int depth) {
  if (cls < 0 || depth > kBaseBound) return nullptr;
  const ClassInfo& info = classes[static_cast<std::size_t>(cls)];
  if (Variable* found = find_here(info.scope, name)) return found;
  for (const Base& base : info.bases) {
    if (Variable* found = find_member(base.cls, name, depth + 1)) return found;
  }
  return nullptr;
}

int Facts::find_method(int cls, std::string_view name, int depth) const {
  if (cls < 0 || depth > kBaseBound) return -1;
  const ClassInfo& info = classes[static_cast<std::size_t>(cls)];
  const auto found = info.methods.find(name);
  if (found != info.methods.end()) return found->second;
  for (const Base& base : info.bases) {
    const int inherited = find_method(base.cls, name, depth + 1);
    if (inherited >= 0) return inherited;
  }
  return -1;
}

std::string_view Facts::place_text(Id node) const {
  Id at = node;
  while (tree.type(at) == Type::Attribute) {
    at = tree.child(at, Field::Object);
    if (at == 0) return {};
  }
  return tree.type(at) == Type::Identifier ? tree.text(node) : std::string_view{};
}

std::vector<std::string_view> Facts::chain(Id node) const {
  std::vector<std::string_view> names;
  while (tree.type(node) == Type::Attribute) {
    const Id object = tree.child(node, Field::Object),
             attribute = tree.child(node, Field::Attribute);
    if (object == 0 || attribute == 0) return {};
    names.push_back(tree.text(attribute));
    node = object;
  }
  if (tree.type(node) != Type::Identifier) return {};
  names.push_back(tree.text(node));
  std::reverse(names.begin(), names.end());
  return names;
}

std::string Facts::qualified(Id node, int scope) {
  Id root = node;
  while (tree.type(root) == Type::Attribute) {
    root = tree.child(root, Field::Object);
    if (root == 0) return {};
  }
  if (tree.type(root) != Type::Identifier) return {};
  const Variable* bound = find(scope, tree.text(root));
  if (bound == nullptr || bound->import < 0) return {};
  const std::vector<std::string_view> names = chain(node);
  if (names.empty()) return {};
  std::string text = imports[static_cast<std::size_t>(bound->import)];
  for (std::size_t i = 1; i < names.size(); ++i) {
    text += '.';
    text += names[i];
  }
  return text;
}

}  // namespace forerun::python
