// Subscripts, slices, displays, comprehensions, yield.
#include "analyzer/python/lowering.h"

namespace forerun::python {

using ir::Kind;
using ir::Role;

namespace {

Knowledge role(Role what) { return {what, -1, {}}; }

}  // namespace

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

}  // namespace forerun::python
