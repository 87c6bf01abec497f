#include "analyzer/python/lowering.h"

namespace forerun::python {

using ir::Kind;
using ir::Role;

namespace {

Knowledge role(Role what) { return {what, -1, {}}; }

Value literal(std::string text, Role what) {
  return {ir::Literal{std::move(text)}, role(what), false};
}

// No tensor and nothing that holds one.
bool is_plain(Role what) { return what == Role::Number || what == Role::Other; }

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

}  // namespace forerun::python
