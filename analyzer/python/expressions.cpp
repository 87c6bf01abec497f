#include "analyzer/python/lowering.h"

namespace forerun::python {

using ir::Kind;
using ir::Role;

namespace {

Knowledge role(Role what) { return {what, -1, {}}; }

Value literal(std::string text, Role what) {
  return {ir::Literal{std::move(text)}, role(what), false};
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

// ---------------------------------------- text

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
