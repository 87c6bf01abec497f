// What calls give: functions and classes of the file, of torch, of other modules; methods;
// builtins.
#include <algorithm>
#include <array>

#include "analyzer/python/roles.h"

namespace forerun::python {
namespace {

using ir::Role;

Knowledge role(Role what) { return {what, -1, {}}; }

template <std::size_t size>
bool among(std::string_view name, const std::array<std::string_view, size>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string_view last_part(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

}  // namespace

std::optional<lexicon::Meaning> Roles::meaning_of(Role receiver, std::string_view name) {
  if (receiver != Role::Tensor) return lexicon::method(receiver, name);
  static constexpr auto never = std::to_array<std::string_view>(
      {"get", "update", "setdefault", "startswith", "endswith", "replace", "format", "join", "copy",
       "load_state_dict", "plot", "step", "train", "eval", "fit", "predict", "group", "save",
       "show"});
  if (among(name, never)) return std::nullopt;
  const auto plain = lexicon::method(Role::Unknown, name);
  const bool container =
      plain && (plain->kind == ir::Kind::Append || plain->kind == ir::Kind::Remove ||
                plain->kind == ir::Kind::StateDict || plain->result == Role::Container);
  if (container && plain->kind != ir::Kind::Query && plain->kind != ir::Kind::HostRead)
    return plain;
  return lexicon::method(receiver, name);
}

std::string Roles::callee_name(Id function, int scope) {
  std::string qualified = facts_.qualified(function, scope);
  if (!qualified.empty() || facts_.stars.empty() || tree_.type(function) != Type::Identifier)
    return qualified;
  if (facts_.find(scope, tree_.text(function)) != nullptr) return {};
  for (const std::string& module : facts_.stars) {
    if (!module.starts_with("torch")) continue;
    std::string name = module + "." + std::string(tree_.text(function));
    if (lexicon::construct(name) || lexicon::guard(name)) return name;
  }
  return {};
}

Knowledge Roles::of_call(Id call, int scope, int depth) {
  const Id function = tree_.child(call, Field::Function);
  if (function == 0) return {};
  const std::string qualified = callee_name(function, scope);
  if (!qualified.empty()) return of_outside_call(qualified, call, scope, depth + 1);
  if (tree_.type(function) == Type::Attribute)
    return of_method_call(function, call, scope, depth + 1);
  if (tree_.type(function) == Type::Identifier) {
    Variable* found = facts_.find(scope, tree_.text(function));
    if (found == nullptr) return of_builtin(tree_.text(function), call, scope, depth + 1);
    if (found->cls >= 0) return of_class(found->cls);
    if (found->names_class >= 0) return of_class(found->names_class);
    if (found->function >= 0) return of_function_result(found->function, depth + 1);
  }
  const std::string_view name = last_name(facts_.place_text(function));
  if (is_class_like(name)) return role(lexicon::role_from_class_name(name));
  const Knowledge called = of_expression(function, scope, depth + 1);
  if (called.role == Role::Module || called.role == Role::LossModule) return role(Role::Tensor);
  if (called.role == Role::Unknown || called.role == Role::Tensor) {
    const Role by_name = lexicon::role_from_called_name(name);
    if (by_name == Role::Module || by_name == Role::LossModule) return role(Role::Tensor);
  }
  return {};
}

Knowledge Roles::first_argument(Id call, int scope, int depth) {
  const Id list = tree_.child(call, Field::Arguments);
  if (list == 0) return {};
  return of_expression(tree_.first_child(list), scope, depth + 1);
}

Knowledge Roles::of_outside_call(const std::string& qualified, Id call, int scope, int depth) {
  if (const auto meaning = lexicon::construct(qualified))
    return {meaning->result, -1, keep(meaning->callee)};
  if (lexicon::guard(qualified)) return role(Role::Other);
  if (const auto meaning = lexicon::function(qualified)) {
    // compile(net), trace(net, x): what goes in comes out.
    if (meaning->kind == ir::Kind::Call && meaning->result == Role::Module) {
      const Knowledge inner = first_argument(call, scope, depth + 1);
      if (inner.role == Role::Module) return inner;
    }
    return role(meaning->result);
  }
  const std::string_view name = last_part(qualified);
  if (qualified == "copy.deepcopy" || qualified == "copy.copy" || is_progress(name) ||
      name == "islice" || name == "cycle") {
    return first_argument(call, scope, depth + 1);
  }
  if (qualified.starts_with("collections.")) return role(Role::Container);
  if (is_plain_module(qualified))
    return role(qualified.starts_with("math.") ? Role::Number : Role::Other);
  if (qualified.starts_with("torchvision.models.")) return role(Role::Module);
  const Role by_class = lexicon::role_from_class_name(name);
  if (by_class != Role::Unknown) return role(by_class);
  if (name.find("loss") != std::string_view::npos) return role(Role::Tensor);
  return {};
}

Knowledge Roles::of_builtin(std::string_view name, Id call, int scope, int depth) {
  static constexpr auto numbers =
      std::to_array<std::string_view>({"float", "int", "bool", "len", "ord", "hash", "id",
                                       "isinstance", "issubclass", "hasattr", "callable", "input"});
  static constexpr auto texts =
      std::to_array<std::string_view>({"str", "repr", "format", "chr", "hex", "bin"});
  static constexpr auto containers = std::to_array<std::string_view>(
      {"list", "dict", "set", "tuple", "frozenset", "sorted", "range", "enumerate", "zip", "map",
       "filter", "vars", "dir"});
  if (among(name, numbers)) return role(Role::Number);
  if (among(name, texts)) return role(Role::Text);
  if (among(name, containers)) return role(Role::Container);
  if (name == "iter" || name == "reversed" || is_progress(name))
    return first_argument(call, scope, depth + 1);
  if (name == "open" || name == "super" || name == "type" || name == "object")
    return role(Role::Other);
  if (name == "abs" || name == "round") return first_argument(call, scope, depth + 1);
  return {};
}

Knowledge Roles::of_method_call(Id function, Id call, int scope, int depth) {
  const Id object = tree_.child(function, Field::Object),
           attribute = tree_.child(function, Field::Attribute);
  if (object == 0 || attribute == 0) return {};
  const std::string_view name = tree_.text(attribute);
  const Knowledge base = of_expression(object, scope, depth + 1);
  if (base.cls >= 0) {
    const int method = facts_.find_method(base.cls, name);
    if (method >= 0 && name == "forward" && base.role == Role::Module) return role(Role::Tensor);
    if (method >= 0) return of_function_result(method, depth + 1);
    if (Variable* member = facts_.find_member(base.cls, name)) {
      const Knowledge called = of_variable(*member, depth + 1);
      if (called.role == Role::Module || called.role == Role::LossModule) return role(Role::Tensor);
    }
  }
  if (const auto meaning = meaning_of(base.role, name)) {
    if (meaning->kind == ir::Kind::Move || meaning->kind == ir::Kind::TrainMode ||
        meaning->kind == ir::Kind::EvalMode) {
      return base.role == Role::Unknown ? Knowledge{} : base;
    }
    if (meaning->result == Role::Module && base.role == Role::Module) return base;
    return role(meaning->result);
  }
  if (name == "log_every") return first_argument(call, scope, depth + 1);
  if (name == "parse_args" || name == "parse_known_args") return role(Role::Other);
  if (name == "from_pretrained") {
    const std::string_view text = facts_.place_text(object);
    return role(lexicon::role_from_class_name(last_name(text)));
  }
  if (base.role == Role::Unknown) {
    const Role by_name = lexicon::role_from_called_name(name);
    if (by_name == Role::LossModule) return role(Role::Tensor);
  }
  return {};
}

}  // namespace forerun::python
