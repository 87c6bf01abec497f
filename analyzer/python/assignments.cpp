#include <algorithm>

#include <fmt/format.h>

#include "analyzer/python/lowering.h"

namespace forerun::python {

using ir::Kind;
using ir::Role;

namespace {

bool is_pattern(Type type) {
  return type == Type::PatternList || type == Type::TuplePattern || type == Type::ListPattern ||
         type == Type::Tuple || type == Type::ExpressionList || type == Type::List;
}

bool is_literal_sequence(Type type) {
  return type == Type::Tuple || type == Type::ExpressionList || type == Type::List;
}

}  // namespace

// x = y = value: the leftmost takes the value, each other name the name before it.
void Lowering::assignment(Id node) {
  std::vector<Id> targets;
  Id value = node;
  while (value != 0 && tree_.type(value) == Type::Assignment) {
    if (const Id left = tree_.child(value, Field::Left)) targets.push_back(left);
    value = tree_.child(value, Field::Right);
  }
  if (value == 0 || targets.empty()) return;  // an annotation alone
  if (tree_.type(value) == Type::AugmentedAssignment) return augmented(value);
  assign(targets.front(), value);
  if (targets.size() == 1) return;
  const Knowledge known = roles_.of_expression(value, frame_.scope);
  const Type first = tree_.type(targets.front());
  const bool plain = first == Type::Identifier || first == Type::Attribute;
  const ir::Operand again =
      plain ? ir::Operand(place_of(targets.front())) : expression(value).operand;
  for (std::size_t i = 1; i < targets.size(); ++i)
    assign_operand(targets[i], again, known, targets[i]);
}

void Lowering::assign(Id target, Id value) {
  const Type type = tree_.type(target);
  if (is_pattern(type)) return unpack(target, value);
  switch (type) {
    case Type::Identifier: return assign_place(target, value);
    case Type::Attribute: return assign_attribute(target, value);
    case Type::Subscript: return store(target, expression(value).operand);
    case Type::Parenthesized:
    case Type::ListSplatPattern:
    case Type::ListSplat:
      if (const Id inner = tree_.first_child(target)) return assign(inner, value);
      return;
    default: expression(value, Want::nothing()); return;
  }
}

void Lowering::assign_place(Id target, Id value) {
  if (tree_.type(value) == Type::Lambda && tree_.type(target) == Type::Identifier) {
    const Variable* named = facts_.find(frame_.scope, tree_.text(target));
    if (named != nullptr && is_lambda(*named)) {
      lambda(value, std::string(tree_.text(target)));
      return;
    }
  }
  const ir::Place place = place_of(target);
  const Value made = expression(value, Want::into(place));
  if (made.landed) return;
  ir::Op named = op(Kind::Assign, "", tree_.parent(target) != 0 ? tree_.parent(target) : target);
  named.arguments.push_back({"", made.operand});
  emit(std::move(named), Want::into(place), made.known);
}

void Lowering::assign_attribute(Id target, Id value) {
  const Id attribute = tree_.child(target, Field::Attribute);
  const std::string_view name = attribute != 0 ? tree_.text(attribute) : std::string_view{};
  if (name != "grad" && name != "requires_grad") return assign_place(target, value);
  const Id object = is_gradient(target) ? tree_.child(target, Field::Object) : 0;
  const Id owner = name == "requires_grad" ? tree_.child(target, Field::Object) : object;
  if (owner == 0) return assign_place(target, value);
  const Value made = expression(value);
  const auto* literal = std::get_if<ir::Literal>(&made.operand);
  ir::Op written = op(Kind::RequiresGrad, "", tree_.parent(target));
  if (name == "grad") {
    const bool none = literal != nullptr && literal->text == "none";
    written = op(Kind::GradWrite, none ? "none" : "assign", tree_.parent(target));
    if (!none) written.arguments.push_back({"", made.operand});
  } else {
    written.arguments.push_back({"", made.operand});
  }
  written.receiver = expression(owner).operand;
  emit(std::move(written), Want::nothing());
}

// Gives `value`, already computed, to a target.
void Lowering::assign_operand(Id target, const ir::Operand& value, const Knowledge& known, Id at) {
  const Type type = tree_.type(target);
  if (type == Type::Subscript) return store(target, value);
  std::vector<ir::Place> places;
  std::vector<std::pair<ir::Place, Id>> later;
  if (is_pattern(type)) {
    flat_targets(target, places, later);
    ir::Op parts = op(Kind::Unpack, "", at);
    parts.arguments.push_back({"", value});
    emit(std::move(parts), Want::into(std::move(places)));
  } else {
    ir::Op named = op(Kind::Assign, "", at);
    named.arguments.push_back({"", value});
    emit(std::move(named), Want::into(target_place(target)), known);
  }
  for (const auto& [place, node] : later) store(node, place);
}

// What only broken text gives a value to (a call, a sum) is nobody's name.
ir::Place Lowering::target_place(Id target) {
  const Type type = tree_.type(target);
  if (type == Type::Identifier || type == Type::Attribute || type == Type::Subscript)
    return place_of(target);
  evaluate_calls(target);
  return temporary();
}

// Nested targets side by side. A subscript cannot be a result: it gets a temporary, to be stored
// later.
void Lowering::flat_targets(Id targets, std::vector<ir::Place>& places,
                            std::vector<std::pair<ir::Place, Id>>& later) {
  const Type type = tree_.type(targets);
  if (is_pattern(type)) {
    for (Id each : Children(tree_, targets)) flat_targets(each, places, later);
    return;
  }
  if (type == Type::ListSplatPattern || type == Type::ListSplat || type == Type::Parenthesized ||
      type == Type::AsPatternTarget) {
    if (const Id inner = tree_.first_child(targets)) flat_targets(inner, places, later);
    return;
  }
  if (type == Type::Subscript) {
    places.push_back(temporary());
    later.emplace_back(places.back(), targets);
    return;
  }
  places.push_back(target_place(targets));
}

void Lowering::unpack(Id targets, Id value) {
  if (assign_each(targets, value)) return;
  std::vector<ir::Place> places;
  std::vector<std::pair<ir::Place, Id>> later;
  // The subscripts' temporaries come after those of the value.
  const bool stores = std::any_of(tree_.text(targets).begin(), tree_.text(targets).end(),
                                  [](char c) { return c == '['; });
  std::optional<Value> early;
  if (stores) early = expression(value);
  flat_targets(targets, places, later);
  const Value made = early ? *early : expression(value, Want::into(places));
  if (!made.landed) {
    ir::Op parts = op(Kind::Unpack, "", tree_.parent(targets));
    parts.arguments.push_back({"", made.operand});
    if (made.known.role == Role::Tensor) parts.result_role = Role::Tensor;
    emit(std::move(parts), Want::into(std::move(places)));
  }
  for (const auto& [place, node] : later) store(node, place);
}

// a, b = x, y is two assignments; where a later value reads an earlier target, every value is taken
// first.
bool Lowering::assign_each(Id targets, Id value) {
  if (!is_literal_sequence(tree_.type(value))) return false;
  const std::vector<Id> names = tree_.children(targets), values = tree_.children(value);
  if (names.size() != values.size()) return false;
  const auto starred = [&](Id each) {
    const Type type = tree_.type(each);
    return type == Type::ListSplat || type == Type::ListSplatPattern;
  };
  if (std::any_of(names.begin(), names.end(), starred) ||
      std::any_of(values.begin(), values.end(), starred))
    return false;
  bool overlapping = false;
  for (std::size_t i = 1; i < values.size() && !overlapping; ++i) {
    for (Id at = values[i]; at < tree_.node(values[i]).after && !overlapping; ++at) {
      if (tree_.type(at) != Type::Identifier) continue;
      for (std::size_t k = 0; k < i; ++k) {
        const std::string_view target = tree_.text(names[k]);
        const std::string_view root = target.substr(0, target.find_first_of(".[ ("));
        overlapping |=
            root == tree_.text(at) &&
            (root == target || tree_.text(values[i]).find(target) != std::string_view::npos);
      }
    }
  }
  if (!overlapping) {
    for (std::size_t i = 0; i < names.size(); ++i) assign(names[i], values[i]);
    return true;
  }
  std::vector<Value> taken;
  for (Id each : values) {
    Value one = expression(each);
    const auto* place = std::get_if<ir::Place>(&one.operand);
    if (place != nullptr && !place->is_temporary()) {
      ir::Op kept = op(Kind::Assign, "", each);
      kept.arguments.push_back({"", one.operand});
      one = emit(std::move(kept), {}, one.known);
    }
    taken.push_back(std::move(one));
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    assign_operand(names[i], taken[i].operand, taken[i].known, names[i]);
  return true;
}

// d[k] = value
void Lowering::store(Id target, const ir::Operand& value) {
  const Id object = tree_.child(target, Field::Value);
  if (object == 0) return;
  const bool whole =
      tree_.parent(target) != 0 && (tree_.type(tree_.parent(target)) == Type::Assignment ||
                                    tree_.type(tree_.parent(target)) == Type::AugmentedAssignment);
  ir::Op stored = op(Kind::Store, "", whole ? tree_.parent(target) : target);
  if (is_gradient(object)) {
    stored.kind = Kind::GradWrite;
    stored.callee = "store";
    stored.receiver = expression(gradient_object(object)).operand;
  } else {
    stored.receiver = place_of(object);
  }
  stored.arguments = subscripts(target);
  if (stored.arguments.size() > 1) {
    // d[i, j] is one key.
    ir::Op key = op(Kind::Pack, "tuple", target);
    key.arguments = std::move(stored.arguments);
    stored.arguments = {{"", emit(std::move(key), {}).operand}};
  }
  stored.arguments.push_back({"", value});
  emit(std::move(stored), Want::nothing());
}

// ---------------------------------------- x += y

namespace {

std::string_view in_place_name(std::string_view token) {
  struct Row {
    std::string_view token, name;
  };
  static constexpr Row rows[] = {{"+=", "iadd"},    {"-=", "isub"},       {"*=", "imul"},
                                 {"/=", "idiv"},    {"//=", "ifloordiv"}, {"%=", "imod"},
                                 {"**=", "ipow"},   {"@=", "imatmul"},    {"&=", "ibitand"},
                                 {"|=", "ibitor"},  {"^=", "ibitxor"},    {"<<=", "ilshift"},
                                 {">>=", "irshift"}};
  for (const Row& row : rows) {
    if (row.token == token) return row.name;
  }
  return "iadd";
}

}  // namespace

bool Lowering::augmented_append(Id left, Id right, Id node) {
  if (tree_.type(right) != Type::List) return false;
  ir::Op grown = op(Kind::Append, "", node);
  for (Id each : Children(tree_, right)) grown.arguments.push_back(argument(each));
  grown.receiver = place_of(left);
  emit(std::move(grown), Want::nothing());
  return true;
}

void Lowering::augmented(Id node) {
  const Id left = tree_.child(node, Field::Left), right = tree_.child(node, Field::Right);
  const Id token = tree_.child(node, Field::Operator);
  if (left == 0 || right == 0 || token == 0) return;
  const Type target = tree_.type(left);
  if (target != Type::Identifier && target != Type::Attribute && target != Type::Subscript) {
    evaluate_calls(right);  // a, b += c, which only broken text has
    return;
  }
  const std::string_view name = in_place_name(tree_.text(token));
  if (name == "iadd" && augmented_append(left, right, node)) return;
  const Value change = expression(right);
  if (tree_.type(left) == Type::Attribute && is_gradient(left)) {
    ir::Op written = op(Kind::GradWrite, name, node);
    written.receiver = expression(gradient_object(left)).operand;
    written.arguments.push_back({"", change.operand});
    emit(std::move(written), Want::nothing());
    return;
  }
  const Knowledge before = roles_.of_expression(left, frame_.scope);
  ir::Op sum = op(Kind::Arith, name, node);
  if (before.role == Role::Tensor || change.known.role == Role::Tensor) {
    sum.result_role = Role::Tensor;
  } else if (before.role == change.known.role) {
    sum.result_role = before.role;
  }
  if (tree_.type(left) != Type::Subscript) {
    const ir::Place place = place_of(left);
    sum.arguments = {{"", place}, {"", change.operand}};
    emit(std::move(sum), Want::into(place));
    return;
  }
  const Value old = expression(left);
  sum.arguments = {{"", old.operand}, {"", change.operand}};
  const Value made = emit(std::move(sum), {});
  store(left, made.operand);
}

// ---------------------------------------- p.grad

// The p of p.grad and p.grad.data, or 0.
Id Lowering::gradient_object(Id node) {
  if (tree_.type(node) != Type::Attribute) return 0;
  const Id object = tree_.child(node, Field::Object),
           attribute = tree_.child(node, Field::Attribute);
  if (object == 0 || attribute == 0) return 0;
  if (tree_.text(attribute) == "data") return gradient_object(object);
  if (tree_.text(attribute) != "grad") return 0;
  if (!facts_.qualified(node, frame_.scope).empty()) return 0;
  const Knowledge known = roles_.of_expression(object, frame_.scope);
  const bool plain = known.role == Role::Tensor || (known.role == Role::Unknown && known.cls < 0);
  return plain ? object : 0;
}

bool Lowering::is_gradient(Id target) { return gradient_object(target) != 0; }

}  // namespace forerun::python
