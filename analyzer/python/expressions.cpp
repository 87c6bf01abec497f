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

// No tensor and nothing that holds one.
bool is_plain(Role what) { return what == Role::Number || what == Role::Other; }

// The last name of an object whose .data is a field, not a tensor's: batch.data, dataset.data.
bool holds_data(std::string_view name) {
  static constexpr auto words =
      std::to_array<std::string_view>({"batch", "sample", "example", "set", "data", "item", "resp",
                                       "req", "event", "entry", "row", "record", "node"});
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  });
}

std::string_view binary_name(std::string_view token) {
  struct Row {
    std::string_view token, name;
  };
  static constexpr Row rows[] = {
      {"+", "add"},    {"-", "sub"},     {"*", "mul"},    {"/", "div"},    {"//", "floordiv"},
      {"%", "mod"},    {"**", "pow"},    {"@", "matmul"}, {"&", "bitand"}, {"|", "bitor"},
      {"^", "bitxor"}, {"<<", "lshift"}, {">>", "rshift"}};
  for (const Row& row : rows) {
    if (row.token == token) return row.name;
  }
  return "add";
}

std::string_view comparison_name(std::string_view token) {
  struct Row {
    std::string_view token, name;
  };
  static constexpr Row rows[] = {{"==", "eq"}, {"!=", "ne"}, {"<>", "ne"},
                                 {"<=", "le"}, {">=", "ge"}, {"<", "lt"},
                                 {">", "gt"},  {"in", "in"}, {"is", "is"}};
  for (const Row& row : rows) {
    if (row.token == token) return row.name;
  }
  if (token.starts_with("is")) return "is_not";
  return token.starts_with("not") ? "not_in" : "eq";
}

}  // namespace

std::string number_text(std::string_view written) {
  std::string text;
  for (const char c : written) {
    if (c != '_' && c != ' ') text += c;
  }
  if (text.starts_with('.')) text.insert(0, "0");
  const auto dot = text.find('.');
  if (dot != std::string::npos &&
      (dot + 1 == text.size() || text[dot + 1] == 'e' || text[dot + 1] == 'E'))
    text.insert(dot + 1, "0");
  if (text.size() > 1 && (text.back() == 'l' || text.back() == 'L')) text.pop_back();  // Python 2
  return text;
}

Value Lowering::expression(Id node, Want want) {
  if (node == 0) return {};
  switch (tree_.type(node)) {
    case Type::Identifier: return identifier(node);
    case Type::Attribute: return attribute(node, want);
    case Type::Call: return call(node, want);
    case Type::Integer:
    case Type::Float: return literal(number_text(tree_.text(node)), Role::Number);
    case Type::True: return literal("true", Role::Number);
    case Type::False: return literal("false", Role::Number);
    case Type::None: return literal("none", Role::Unknown);
    case Type::Ellipsis: return literal("...", Role::Other);
    case Type::String:
    case Type::ConcatenatedString: return format_string(node, want);
    case Type::Parenthesized: {
      const Id inner = tree_.first_child(node);
      if (inner != 0 && tree_.type(inner) == Type::Yield) return yield(inner);
      return expression(inner, std::move(want));
    }
    case Type::Await: return expression(tree_.first_child(node), std::move(want));
    case Type::BinaryOperator: return binary(node, want);
    case Type::BooleanOperator: return boolean(node, want);
    case Type::ComparisonOperator: return comparison(node, want);
    case Type::UnaryOperator: return unary(node, want);
    case Type::NotOperator: return negation(node, want);
    case Type::Conditional: return conditional(node, want);
    case Type::Subscript: return subscript(node, want);
    case Type::Slice: return slice(node);
    case Type::List: return pack(node, "list", want);
    case Type::Tuple:
    case Type::ExpressionList:
    case Type::PatternList: return pack(node, "tuple", want);
    case Type::Set: return pack(node, "set", want);
    case Type::Dictionary: return dictionary(node, want);
    case Type::ListComprehension:
    case Type::GeneratorExpression: return comprehension(node, "list");
    case Type::SetComprehension: return comprehension(node, "set");
    case Type::DictionaryComprehension: return comprehension(node, "dict");
    case Type::Lambda: return {ir::FunctionReference{lambda(node)}, role(Role::Other), false};
    case Type::NamedExpression: {
      const Id name = tree_.child(node, Field::Name), value = tree_.child(node, Field::Value);
      if (name == 0 || value == 0) return {};
      assign_place(name, value);
      return identifier(name);
    }
    case Type::Yield: return yield(node);
    case Type::ListSplat:
    case Type::ParenthesizedListSplat:
    case Type::DictionarySplat: return expression(tree_.first_child(node), std::move(want));
    default: return {};
  }
}

// ------------------------------------------------------------------------------------------------
// names and members

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

// ------------------------------------------------------------------------------------------------
// operators

Value Lowering::binary(Id node, const Want& want) {
  // a + b + c leans to the left, as deep as it is long: down the spine, then up.
  std::vector<Id> spine;
  Id at = node;
  while (at != 0 && tree_.type(at) == Type::BinaryOperator) {
    spine.push_back(at);
    at = tree_.child(at, Field::Left);
  }
  Value left;
  bool first = true;
  for (auto each = spine.rbegin(); each != spine.rend(); ++each) {
    const Id right = tree_.child(*each, Field::Right), token = tree_.child(*each, Field::Operator);
    const std::string_view name = token != 0 ? binary_name(tree_.text(token)) : "add";
    const bool last = *each == node;
    const bool text =
        first && at != 0 &&
        (tree_.type(at) == Type::String || tree_.type(at) == Type::ConcatenatedString);
    if (text && name == "mod") {
      ir::Op made = op(Kind::Format, "", *each);
      if (right != 0 && tree_.type(right) == Type::Tuple) {
        for (Id operand : Children(tree_, right)) made.arguments.push_back(argument(operand));
      } else {
        made.arguments.push_back({"", expression(right).operand});
      }
      left = emit(std::move(made), last ? want : Want{}, role(Role::Text));
      first = false;
      continue;
    }
    if (first) left = expression(at);
    first = false;
    const Value other = expression(right);
    ir::Op made = op(Kind::Arith, name, *each);
    made.arguments = {{"", left.operand}, {"", other.operand}};
    Knowledge known;
    if (left.known.role == Role::Tensor || other.known.role == Role::Tensor) {
      known.role = Role::Tensor;
    } else if (left.known.role == other.known.role || name == "mod") {
      known.role = left.known.role;
    } else if (is_plain(left.known.role) && is_plain(other.known.role)) {
      known.role = Role::Number;
    }
    if (known.role != Role::Tensor && known.role != Role::Number && known.role != Role::Text &&
        known.role != Role::Container)
      known.role = Role::Unknown;
    left = emit(std::move(made), last ? want : Want{}, known);
  }
  return left;
}

Value Lowering::boolean(Id node, const Want& want) {
  std::vector<Id> spine;
  Id at = node;
  while (at != 0 && tree_.type(at) == Type::BooleanOperator) {
    spine.push_back(at);
    at = tree_.child(at, Field::Left);
  }
  Value left = expression(at);
  for (auto each = spine.rbegin(); each != spine.rend(); ++each) {
    const Id right = tree_.child(*each, Field::Right), token = tree_.child(*each, Field::Operator);
    const Value other = expression(right);
    ir::Op made = op(Kind::Arith, token != 0 ? tree_.text(token) : "and", *each);
    made.arguments = {{"", left.operand}, {"", other.operand}};
    const Knowledge known = left.known.role == other.known.role ? left.known : Knowledge{};
    left = emit(std::move(made), *each == node ? want : Want{}, known);
  }
  return left;
}

Value Lowering::comparison(Id node, const Want& want) {
  std::vector<Id> operands, tokens;
  for (Id each : Children(tree_, node))
    (tree_.type(each) == Type::Token ? tokens : operands).push_back(each);
  if (operands.size() < 2 || tokens.size() + 1 < operands.size()) return {};
  Value left = expression(operands[0]);
  Value all;
  const std::size_t links = operands.size() - 1;
  for (std::size_t i = 0; i < links; ++i) {
    const Value right = expression(operands[i + 1]);
    const std::string_view name = comparison_name(tree_.text(tokens[i]));
    ir::Op made = op(Kind::Arith, name, node);
    made.arguments = {{"", left.operand}, {"", right.operand}};
    const bool identity = name == "is" || name == "is_not" || name == "in" || name == "not_in";
    Knowledge known;
    if (!identity && (left.known.role == Role::Tensor || right.known.role == Role::Tensor))
      known.role = Role::Tensor;
    if (identity || (left.known.role == Role::Number && right.known.role == Role::Number))
      known.role = Role::Number;
    const Value one = emit(std::move(made), links == 1 ? want : Want{}, known);
    if (i == 0) {
      all = one;
    } else {
      ir::Op both = op(Kind::Arith, "and", node);
      both.arguments = {{"", all.operand}, {"", one.operand}};
      all = emit(std::move(both), i + 1 == links ? want : Want{}, known);
    }
    left = right;
  }
  return all;
}

Value Lowering::unary(Id node, const Want& want) {
  const Id token = tree_.child(node, Field::Operator), operand = tree_.child(node, Field::Argument);
  if (token == 0 || operand == 0) return {};
  const std::string_view sign = tree_.text(token);
  const Type type = tree_.type(operand);
  if ((type == Type::Integer || type == Type::Float) && sign != "~") {
    return literal((sign == "-" ? "-" : "") + number_text(tree_.text(operand)), Role::Number);
  }
  const Value value = expression(operand);
  ir::Op made = op(Kind::Arith, sign == "-" ? "neg" : sign == "~" ? "invert" : "pos", node);
  made.arguments.push_back({"", value.operand});
  return emit(
      std::move(made), want,
      role(value.known.role == Role::Tensor || value.known.role == Role::Number ? value.known.role
                                                                                : Role::Unknown));
}

Value Lowering::negation(Id node, const Want& want) {
  const Value value = expression(tree_.child(node, Field::Argument));
  ir::Op made = op(Kind::Arith, "not", node);
  made.arguments.push_back({"", value.operand});
  return emit(std::move(made), want, role(Role::Number));
}

Value Lowering::conditional(Id node, const Want& want) {
  const std::vector<Id> parts = tree_.children(node);
  if (parts.size() != 3) return {};
  const Value condition = expression(parts[1]);
  const Value yes = expression(parts[0]);
  const Value no = expression(parts[2]);
  ir::Op made = op(Kind::Arith, "select", node);
  made.arguments = {{"", condition.operand}, {"", yes.operand}, {"", no.operand}};
  return emit(std::move(made), want, roles_.of_expression(node, frame_.scope));
}

// ------------------------------------------------------------------------------------------------
// containers

std::vector<ir::Argument> Lowering::subscripts(Id node) {
  std::vector<ir::Argument> keys;
  for (Id each : Children(tree_, node)) {
    if (tree_.field(each) != Field::Subscript) continue;
    if (tree_.type(each) == Type::Tuple) {
      for (Id part : Children(tree_, each)) keys.push_back(argument(part));
    } else {
      keys.push_back(argument(each));
    }
  }
  return keys;
}

Value Lowering::subscript(Id node, const Want& want) {
  const Id object = tree_.child(node, Field::Value);
  if (object == 0) return {};
  // x.shape[0] is x.size(0).
  const Id attribute =
      tree_.type(object) == Type::Attribute ? tree_.child(object, Field::Attribute) : 0;
  if (attribute != 0 && tree_.text(attribute) == "shape" &&
      facts_.qualified(object, frame_.scope).empty()) {
    const Value base = expression(tree_.child(object, Field::Object));
    const bool asked =
        base.known.role == Role::Tensor || (base.known.role == Role::Unknown && base.known.cls < 0);
    std::vector<ir::Argument> keys = subscripts(node);
    const auto* key = keys.size() == 1 ? std::get_if<ir::Literal>(&keys[0].value) : nullptr;
    if (asked && key != nullptr) {
      ir::Op made = op(Kind::Query, "size", node);
      made.receiver = base.operand;
      made.arguments = std::move(keys);
      return emit(std::move(made), want, role(Role::Number));
    }
    const auto shape = asked ? member_operation(object, "shape", base, {}) : std::nullopt;
    const Value whole = shape ? *shape : member_place(object, "shape", base);
    ir::Op made = op(Kind::Index, "", node);
    made.receiver = whole.operand;
    made.arguments = std::move(keys);
    return emit(std::move(made), want, {});
  }
  const Value base = expression(object);
  ir::Op made = op(Kind::Index, "", node);
  made.receiver = base.operand;
  made.arguments = subscripts(node);
  return emit(std::move(made), want,
              base.known.role == Role::Tensor ? role(Role::Tensor)
                                              : roles_.of_expression(node, frame_.scope));
}

Value Lowering::slice(Id node) {
  std::vector<ir::Operand> parts{ir::Literal{"none"}};
  for (Id each : Children(tree_, node)) {
    if (tree_.type(each) == Type::Token) {
      parts.emplace_back(ir::Literal{"none"});
    } else {
      parts.back() = expression(each).operand;
    }
  }
  const auto* step = parts.size() == 3 ? std::get_if<ir::Literal>(&parts[2]) : nullptr;
  if (step != nullptr && step->text == "none") parts.pop_back();
  ir::Op made = op(Kind::Pack, "slice", node);
  for (ir::Operand& each : parts) made.arguments.push_back({"", std::move(each)});
  return emit(std::move(made), {}, role(Role::Other));
}

Value Lowering::pack(Id node, std::string_view form, const Want& want) {
  ir::Op made = op(Kind::Pack, form, node);
  for (Id each : Children(tree_, node)) made.arguments.push_back(argument(each));
  return emit(std::move(made),
              want.form == Want::Form::Nothing && made.arguments.empty() ? want : want,
              role(Role::Container));
}

Value Lowering::dictionary(Id node, const Want& want) {
  ir::Op made = op(Kind::Pack, "dict", node);
  for (Id each : Children(tree_, node)) {
    if (tree_.type(each) == Type::Pair) {
      made.arguments.push_back({"", expression(tree_.child(each, Field::Key)).operand});
      made.arguments.push_back({"", expression(tree_.child(each, Field::Value)).operand});
    } else {
      made.arguments.push_back(argument(each));
    }
  }
  return emit(std::move(made), want, role(Role::Container));
}

Value Lowering::comprehension(Id node, std::string_view form) {
  ir::Op made = op(Kind::Pack, form, node);
  const Value container = emit(std::move(made), {}, role(Role::Container));
  std::vector<Id> clauses;
  for (Id each : Children(tree_, node)) {
    if (tree_.type(each) == Type::ForIn || tree_.type(each) == Type::IfClause)
      clauses.push_back(each);
  }
  comprehension_clauses(node, clauses, 0, std::get<ir::Place>(container.operand));
  return container;
}

void Lowering::comprehension_clauses(Id node, const std::vector<Id>& clauses, std::size_t at,
                                     const ir::Place& target) {
  if (at == clauses.size()) {
    const Id body = tree_.child(node, Field::Body);
    const bool pair = body != 0 && tree_.type(body) == Type::Pair;
    ir::Op grown = op(pair ? Kind::Store : Kind::Append, "", body != 0 ? body : node);
    grown.receiver = target;
    if (pair) {
      grown.arguments.push_back({"", expression(tree_.child(body, Field::Key)).operand});
      grown.arguments.push_back({"", expression(tree_.child(body, Field::Value)).operand});
    } else {
      grown.arguments.push_back({"", expression(body).operand});
    }
    emit(std::move(grown), Want::nothing());
    return;
  }
  const Id clause = clauses[at];
  if (too_many(static_cast<int>(at), clause)) return;
  if (tree_.type(clause) == Type::IfClause) {
    ir::Branch made;
    made.at = tree_.location(clause);
    const Id condition = tree_.first_child(clause);
    made.condition = expression(condition).operand;
    in(made.then_body, [&] { comprehension_clauses(node, clauses, at + 1, target); });
    push({std::move(made)});
    return;
  }
  ir::Loop loop;
  const Id left = tree_.child(clause, Field::Left), right = tree_.child(clause, Field::Right);
  if (left == 0 || right == 0) return;
  each_loop(left, right, clause, loop);
  in(loop.body, [&] { comprehension_clauses(node, clauses, at + 1, target); });
  push({std::move(loop)});
}

Value Lowering::yield(Id node) {
  std::vector<ir::Operand> values;
  if (const Id value = tree_.first_child(node)) {
    if (tree_.type(value) == Type::ExpressionList || tree_.type(value) == Type::Tuple) {
      for (Id each : Children(tree_, value)) values.push_back(expression(each).operand);
    } else {
      values.push_back(expression(value).operand);
    }
  }
  jump(ir::Jump::Form::Yield, std::move(values), node);
  return {};
}

// ------------------------------------------------------------------------------------------------
// text

void Lowering::string_pieces(Id node, std::string& text) {
  if (tree_.type(node) == Type::ConcatenatedString) {
    for (Id each : Children(tree_, node)) string_pieces(each, text);
    return;
  }
  std::uint32_t begin = tree_.node(node).begin, end = tree_.node(node).end;
  for (Id each : Children(tree_, node)) {
    if (tree_.type(each) == Type::StringStart) begin = tree_.node(each).end;
    if (tree_.type(each) == Type::StringEnd) end = tree_.node(each).begin;
  }
  const std::string_view content =
      begin < end ? tree_.text().substr(begin, end - begin) : std::string_view{};
  for (std::size_t i = 0; i < content.size(); ++i) {
    const char c = content[i];
    if (c == '\\' && i + 1 < content.size()) {
      const char next = content[++i];
      if (next == '\'') {
        text += '\'';
      } else if (next != '\n' && next != '\r') {
        text += c;
        text += next;
      }
    } else if (c == '\n') {
      text += "\\n";
    } else if (c == '"') {
      text += "\\\"";
    } else if (c != '\r') {
      text += c;
    }
  }
}

std::string Lowering::string_text(Id node) {
  std::string text = "\"";
  string_pieces(node, text);
  text += '"';
  return text;
}

void Lowering::format_operands(Id node, std::vector<ir::Argument>& operands) {
  for (Id each : Children(tree_, node)) {
    if (tree_.type(each) == Type::String) format_operands(each, operands);
    if (tree_.type(each) != Type::Interpolation) continue;
    Id value = tree_.child(each, Field::Expression);
    if (value == 0) value = tree_.first_child(each);
    if (value != 0) operands.push_back({"", expression(value).operand});
    for (Id inner : Children(tree_, each)) {
      if (tree_.type(inner) == Type::FormatSpecifier) {
        for (Id nested : Children(tree_, inner)) {
          if (tree_.type(nested) == Type::FormatExpression ||
              tree_.type(nested) == Type::Interpolation) {
            operands.push_back({"", expression(tree_.first_child(nested)).operand});
          }
        }
      }
    }
  }
}

Value Lowering::format_string(Id node, const Want& want) {
  std::vector<ir::Argument> operands;
  format_operands(node, operands);
  if (operands.empty()) return literal(string_text(node), Role::Text);
  ir::Op made = op(Kind::Format, "", node);
  made.arguments = std::move(operands);
  return emit(std::move(made), want, role(Role::Text));
}

}  // namespace forerun::python
