// Names, and members of values: places, tensor members that are operations, what a write targets.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "analyzer/python/lowering.h"

namespace forerun::python {

using ir::Kind;
using ir::Role;

namespace {

Knowledge role(Role what) { return {what, -1, {}}; }

Value literal(std::string text, Role what) {
  return {ir::Literal{std::move(text)}, role(what), false};
}

template <std::size_t size>
bool among(std::string_view name, const std::array<std::string_view, size>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_builtin_name(std::string_view name) {
  static constexpr auto names = std::to_array<std::string_view>({"int",
                                                                 "float",
                                                                 "bool",
                                                                 "str",
                                                                 "bytes",
                                                                 "list",
                                                                 "dict",
                                                                 "set",
                                                                 "tuple",
                                                                 "frozenset",
                                                                 "len",
                                                                 "print",
                                                                 "abs",
                                                                 "sum",
                                                                 "max",
                                                                 "min",
                                                                 "object",
                                                                 "type",
                                                                 "repr",
                                                                 "sorted",
                                                                 "zip",
                                                                 "map",
                                                                 "range",
                                                                 "enumerate",
                                                                 "isinstance",
                                                                 "Exception",
                                                                 "ValueError",
                                                                 "RuntimeError",
                                                                 "TypeError",
                                                                 "KeyError",
                                                                 "StopIteration",
                                                                 "KeyboardInterrupt",
                                                                 "NotImplementedError"});
  return among(name, names);
}

// The last name of an object whose .data is a field, not a tensor's: batch.data, dataset.data.
bool holds_data(std::string_view name) {
  static constexpr auto words =
      std::to_array<std::string_view>({"batch", "sample", "example", "set", "data", "item", "resp",
                                       "req", "event", "entry", "row", "record", "node"});
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  });
}

}  // namespace

Value Lowering::identifier(Id node) {
  const std::string_view name = tree_.text(node);
  Variable* found = facts_.find(frame_.scope, name);
  if (found == nullptr) {
    if (is_builtin_name(name))
      return {ir::FunctionReference{std::string(name)}, role(Role::Other), false};
    return {ir::Place{std::string(name), {}}, roles_.of_text(name), false};
  }
  if (found->import >= 0 && found->first_fact < 0) {
    if (auto value = outside_value(node)) return *value;
  }
  if ((found->function >= 0 && found->first_fact < 0) || is_lambda(*found)) {
    return {ir::FunctionReference{std::string(name)}, role(Role::Other), false};
  }
  if (found->cls >= 0 && found->first_fact < 0)
    return {ir::FunctionReference{std::string(name)}, role(Role::Other), false};
  note_variable(*found);
  std::string root(found->self_class >= 0 ? std::string_view("self") : name);
  // In a class body the names are the class's members.
  const bool member =
      frame_.cls >= 0 &&
      facts_.scopes[static_cast<std::size_t>(frame_.scope)].kind == ScopeKind::Class &&
      facts_.find_here(frame_.scope, name) == found;
  if (member) return {ir::Place{"self", {std::move(root)}}, roles_.of_variable(*found), false};
  return {ir::Place{std::move(root), {}}, roles_.of_variable(*found), false};
}

// What a name of another module is as a value: a constant, a class or function, or the place as
// written.
std::optional<Value> Lowering::outside_value(Id node) {
  const std::string qualified = facts_.qualified(node, frame_.scope);
  if (qualified.empty()) return std::nullopt;
  if (const auto constant = lexicon::constant(qualified))
    return literal(std::string(*constant), Role::Other);
  const std::string_view name = last_name(qualified);
  const bool torch = qualified.starts_with("torch.");
  if (torch || is_class_like(name) || lexicon::construct(qualified)) {
    return Value{ir::FunctionReference{std::string(name)}, role(Role::Other), false};
  }
  ir::Place place;
  for (std::string_view part : facts_.chain(node)) {
    if (place.root.empty()) {
      place.root = part;
    } else {
      place.steps.emplace_back(part);
    }
  }
  Knowledge known = place.steps.empty() ? roles_.of_text(place.root) : Knowledge{};
  if (known.role == Role::Unknown && is_plain_module(qualified)) known.role = Role::Other;
  return Value{std::move(place), known, false};
}

Value Lowering::attribute(Id node, const Want& want) {
  const Id object = tree_.child(node, Field::Object),
           attribute = tree_.child(node, Field::Attribute);
  if (object == 0 || attribute == 0) return {};
  if (const auto value = outside_value(node)) return *value;
  const std::string_view name = tree_.text(attribute);
  const Value base = expression(object);
  if (auto made = member_operation(node, name, base, want)) return *made;
  return member_place(node, name, base);
}

// Members of tensors that are operations: .grad, .data, .shape, .T …
std::optional<Value> Lowering::member_operation(Id node, std::string_view name, const Value& base,
                                                const Want& want) {
  const Role what = base.known.role;
  const bool tensor = what == Role::Tensor;
  if (!tensor && (what != Role::Unknown || base.known.cls >= 0)) return std::nullopt;
  const auto* place = std::get_if<ir::Place>(&base.operand);
  const std::string_view owner = place == nullptr       ? std::string_view{}
                                 : place->steps.empty() ? std::string_view(place->root)
                                                        : std::string_view(place->steps.back());
  const bool settings = is_settings(owner);
  ir::Op made = op(Kind::Query, name, node);
  made.receiver = base.operand;
  static constexpr auto anywhere = std::to_array<std::string_view>(
      {"shape", "dtype", "requires_grad", "is_leaf", "is_cuda", "is_cpu", "is_xpu", "is_mps",
       "is_meta", "is_quantized", "is_sparse", "is_nested", "layout", "itemsize", "nbytes",
       "grad_fn"});
  if (name == "ndim") {
    made.callee = "dim";
    return emit(std::move(made), want, role(Role::Number));
  }
  if ((!settings && among(name, anywhere)) ||
      (name == "device" && (tensor || (!settings && place != nullptr && place->steps.empty())))) {
    return emit(std::move(made), want, role(name == "shape" ? Role::Container : Role::Other));
  }
  if (name == "grad" && !settings) {
    made.kind = Kind::GradRead;
    made.callee.clear();
    return emit(std::move(made), want, role(Role::Tensor));
  }
  if (name == "data" && !settings && (tensor || !holds_data(owner))) {
    made.kind = Kind::Detach;
    return emit(std::move(made), want, role(Role::Tensor));
  }
  if ((name == "T" || name == "mT" || name == "H" || name == "mH") && !settings) {
    made.kind = Kind::Tensor;
    return emit(std::move(made), want, role(Role::Tensor));
  }
  return std::nullopt;
}

// Any other member: a place, a method of the file's own classes named as a value.
Value Lowering::member_place(Id node, std::string_view name, const Value& base) {
  const auto* place = std::get_if<ir::Place>(&base.operand);
  // Color.RED, where Color is a class of the file.
  const auto* named = std::get_if<ir::FunctionReference>(&base.operand);
  if (named != nullptr && base.known.cls < 0) {
    const Id object = tree_.child(node, Field::Object);
    const Variable* found = tree_.type(object) == Type::Identifier
                                ? facts_.find(frame_.scope, tree_.text(object))
                                : nullptr;
    const bool method =
        found != nullptr && found->cls >= 0 && facts_.find_method(found->cls, name) >= 0;
    if (method)
      return {ir::FunctionReference{fmt::format("{}.{}", named->name, name)}, role(Role::Other),
              false};
  }
  if (named != nullptr)
    return {ir::Place{named->name, {std::string(name)}}, role(Role::Other), false};
  if (place == nullptr) return {};
  Value value;
  if (base.known.cls >= 0) {
    Variable* member = facts_.find_member(base.known.cls, name);
    const int method = facts_.find_method(base.known.cls, name);
    if (method >= 0 && (member == nullptr || member->first_fact < 0)) {
      const FunctionInfo& info = facts_.functions[static_cast<std::size_t>(method)];
      if (!info.is_property) {
        const ClassInfo& owner = facts_.classes[static_cast<std::size_t>(info.cls)];
        return {ir::FunctionReference{fmt::format("{}.{}", owner.name, name)}, role(Role::Other),
                false};
      }
      value.known = roles_.of_function_result(method);
    } else if (member != nullptr) {
      if (place->root == "self" && place->steps.empty()) note_variable(*member);
      value.known = roles_.of_variable(*member);
    }
  }
  ir::Place made = *place;
  made.steps.emplace_back(name);
  if (value.known.role == Role::Unknown && value.known.cls < 0) {
    const std::string_view text = facts_.place_text(node);
    const std::string spelled = text.empty() ? ir::to_string(made) : std::string();
    value.known.role = roles_.of_text(text.empty() ? std::string_view(spelled) : text).role;
  }
  value.operand = std::move(made);
  return value;
}

// Where something is written: subscripts become [] and only their calls are evaluated.
ir::Place Lowering::place_of(Id node) {
  switch (tree_.type(node)) {
    case Type::Identifier: {
      const Value value = identifier(node);
      if (const auto* place = std::get_if<ir::Place>(&value.operand)) return *place;
      return {std::string(tree_.text(node)), {}};
    }
    case Type::Attribute: {
      const Id object = tree_.child(node, Field::Object),
               attribute = tree_.child(node, Field::Attribute);
      if (object == 0 || attribute == 0) break;
      if (Variable* self = tree_.type(object) == Type::Identifier
                               ? facts_.find(frame_.scope, tree_.text(object))
                               : nullptr;
          self != nullptr && self->self_class >= 0) {
        if (Variable* member = facts_.find_member(self->self_class, tree_.text(attribute)))
          note_variable(*member);
      }
      ir::Place place = place_of(object);
      place.steps.emplace_back(tree_.text(attribute));
      return place;
    }
    case Type::Subscript: {
      const Id object = tree_.child(node, Field::Value);
      if (object == 0) break;
      ir::Place place = place_of(object);
      for (Id each : Children(tree_, node)) {
        if (tree_.field(each) == Field::Subscript) evaluate_calls(each);
      }
      place.steps.emplace_back("[]");
      return place;
    }
    case Type::Parenthesized:
      if (const Id inner = tree_.first_child(node)) return place_of(inner);
      break;
    default: break;
  }
  const Value value = expression(node);
  if (const auto* place = std::get_if<ir::Place>(&value.operand)) return *place;
  return {"?", {}};
}

bool Lowering::has_call(Id node) const {
  for (Id at = node; at < tree_.node(node).after; ++at) {
    const Type type = tree_.type(at);
    if (type == Type::Call || type == Type::NamedExpression) return true;
  }
  return false;
}

// For what an expression does, where its value leaves no trace.
void Lowering::evaluate_calls(Id node) {
  if (has_call(node)) expression(node, Want::nothing());
}

}  // namespace forerun::python
