#include <fmt/format.h>

#include "analyzer/python/lowering.h"

namespace forerun::python {

using ir::Kind;

void Lowering::block(Id node) { statements_of(node); }

void Lowering::statements_of(Id node) {
  for (Id each : Children(tree_, node)) statement(each);
}

void Lowering::statement(Id node) {
  switch (tree_.type(node)) {
    case Type::ExpressionStatement: return expression_statement(node);
    case Type::Return: return return_statement(node);
    case Type::If: return if_statement(node);
    case Type::For: return for_statement(node);
    case Type::While: return while_statement(node);
    case Type::Try: return try_statement(node);
    case Type::With: return with_statement(node);
    case Type::Match: return match_statement(node);
    case Type::FunctionDefinition: return lower_function(node, 0);
    case Type::ClassDefinition: return lower_class(node);
    case Type::DecoratedDefinition: {
      if (const Id function = tree_.child(node, Type::FunctionDefinition))
        return lower_function(function, node);
      if (const Id cls = tree_.child(node, Type::ClassDefinition)) return lower_class(cls);
      return;
    }
    case Type::Raise: return raise_statement(node);
    case Type::Delete: return delete_statement(node);
    case Type::PrintStatement: return print_statement(node);
    case Type::Break:
    case Type::Continue:
      // Outside a loop, which only broken text has, there is nothing to leave.
      if (frame_.loops > 0)
        jump(tree_.type(node) == Type::Break ? ir::Jump::Form::Break : ir::Jump::Form::Continue, {},
             node);
      return;
    case Type::Assert:
    case Type::ExecStatement:
      for (Id each : Children(tree_, node)) evaluate_calls(each);
      return;
    case Type::Block:
    case Type::Error: return statements_of(node);
    default: return;
  }
}

void Lowering::expression_statement(Id node) {
  for (Id each : Children(tree_, node)) {
    switch (tree_.type(each)) {
      case Type::Assignment: assignment(each); break;
      case Type::AugmentedAssignment: augmented(each); break;
      case Type::Attribute:
      case Type::Subscript:
        evaluate_calls(each);
        break;  // reading a member or an element does nothing
      default: expression(each, Want::nothing()); break;
    }
  }
}

void Lowering::return_statement(Id node) {
  const Id value = tree_.first_child(node);
  std::vector<ir::Operand> values;
  if (value != 0 &&
      (tree_.type(value) == Type::ExpressionList || tree_.type(value) == Type::Tuple)) {
    for (Id each : Children(tree_, value)) values.push_back(expression(each).operand);
  } else if (value != 0) {
    values.push_back(expression(value).operand);
  }
  jump(ir::Jump::Form::Return, std::move(values), node);
}

void Lowering::raise_statement(Id node) {
  std::vector<ir::Operand> values;
  for (Id each : Children(tree_, node)) {
    const ir::Operand value = expression(each).operand;
    if (tree_.field(each) != Field::Cause) values.push_back(value);
  }
  jump(ir::Jump::Form::Raise, std::move(values), node);
}

void Lowering::delete_statement(Id node) {
  for (Id each : Children(tree_, node)) deletion(each);
}

void Lowering::deletion(Id node) {
  switch (tree_.type(node)) {
    case Type::ExpressionList:
    case Type::Tuple:
    case Type::List:
    case Type::Parenthesized:
      for (Id each : Children(tree_, node)) deletion(each);
      return;
    case Type::Subscript: {
      const Id object = tree_.child(node, Field::Value);
      if (object == 0) return;
      const ir::Place place = place_of(object);
      ir::Op removed = op(Kind::Remove, "", node);
      removed.arguments = subscripts(node);
      removed.receiver = place;
      emit(std::move(removed), Want::nothing());
      return;
    }
    default: return;
  }
}

void Lowering::print_statement(Id node) {
  ir::Op shown = op(Kind::Print, "", node);
  for (Id each : Children(tree_, node)) {
    if (tree_.type(each) != Type::Chevron)
      shown.arguments.push_back({"", expression(each).operand});
  }
  emit(std::move(shown), Want::nothing());
}

// ---------------------------------------- branches

void Lowering::if_statement(Id node) {
  Id alternative = 0;
  for (Id each : Children(tree_, node)) {
    const Type type = tree_.type(each);
    if (type != Type::Elif && type != Type::Else) continue;
    alternative = each;
    break;
  }
  branches(node, alternative, 0);
}

// An if or elif with what follows it: the next elif or else.
void Lowering::branches(Id node, Id alternative, int link) {
  if (too_many(link, node)) return;
  ir::Branch made;
  made.at = tree_.location(node);
  const Id condition = tree_.child(node, Field::Condition),
           body = tree_.child(node, Field::Consequence);
  if (condition != 0) {
    made.condition = expression(condition).operand;
    made.at = tree_.location(tree_.node(node).begin, tree_.node(condition).end);
  }
  in(made.then_body, [&] {
    if (body != 0) block(body);
  });
  if (alternative != 0) {
    in(made.else_body, [&] {
      if (tree_.type(alternative) == Type::Elif) {
        branches(alternative, tree_.next(tree_.parent(alternative), alternative), link + 1);
      } else {
        statements_of(alternative);
      }
    });
  }
  push({std::move(made)});
}

}  // namespace forerun::python
