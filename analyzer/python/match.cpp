#include <algorithm>

#include "analyzer/python/lowering.h"

namespace forerun::python {

using ir::Kind;

void Lowering::match_statement(Id node) {
  std::vector<ir::Operand> subjects;
  for (Id each : Children(tree_, node)) {
    if (tree_.field(each) == Field::Subject) subjects.push_back(expression(each).operand);
  }
  ir::Operand subject = subjects.empty() ? ir::Operand(ir::Opaque{}) : subjects.front();
  if (subjects.size() > 1) {
    ir::Op all = op(Kind::Pack, "tuple", node);
    for (ir::Operand& each : subjects) all.arguments.push_back({"", std::move(each)});
    subject = emit(std::move(all), {}).operand;
  }
  std::vector<Id> cases;
  const Id body = tree_.child(node, Field::Body);
  for (Id each : Children(tree_, body != 0 ? body : node)) {
    if (tree_.type(each) == Type::Case) cases.push_back(each);
  }
  match_cases(cases, 0, subject);
}

void Lowering::match_cases(const std::vector<Id>& cases, std::size_t at,
                           const ir::Operand& subject) {
  if (at == cases.size() || too_many(static_cast<int>(at), cases[at])) return;
  const Id clause = cases[at];
  bool always = false;
  const ir::Operand condition = match_condition(clause, subject, always);
  const Id body = tree_.child(clause, Field::Consequence);
  if (always) {
    if (body != 0) block(body);
    return;
  }
  ir::Branch made;
  made.condition = condition;
  made.at = tree_.location(tree_.node(clause).begin,
                           body != 0 ? tree_.node(body).begin : tree_.node(clause).end);
  in(made.then_body, [&] {
    if (body != 0) block(body);
  });
  in(made.else_body, [&] { match_cases(cases, at + 1, subject); });
  push({std::move(made)});
}

ir::Operand Lowering::match_condition(Id clause, const ir::Operand& subject, bool& always) {
  std::vector<Id> patterns;
  for (Id each : Children(tree_, clause)) {
    if (tree_.type(each) == Type::CasePattern) patterns.push_back(each);
  }
  ir::Operand condition = ir::Literal{"true"};
  always = true;
  if (patterns.size() == 1) condition = pattern_test(patterns.front(), subject, always);
  if (patterns.size() > 1) {
    always = false;
    condition = pattern_test(clause, subject, always);
  }
  const Id guard = tree_.child(clause, Field::Guard);
  if (guard == 0) return condition;
  const Id test = tree_.first_child(guard);
  const ir::Operand asked = test != 0 ? expression(test).operand : ir::Operand(ir::Opaque{});
  if (always) {
    always = false;
    return asked;
  }
  ir::Op both = op(Kind::Arith, "and", guard);
  both.arguments = {{"", condition}, {"", asked}};
  return emit(std::move(both), {}).operand;
}

ir::Operand Lowering::pattern_test(Id pattern, const ir::Operand& subject, bool& always) {
  always = false;
  Id inner = tree_.type(pattern) == Type::CasePattern ? tree_.first_child(pattern) : pattern;
  if (inner == 0) {
    always = tree_.text(pattern) == "_";
    return ir::Literal{"true"};
  }
  const auto compare = [&](std::string_view how, ir::Operand value) {
    ir::Op made = op(Kind::Arith, how, inner);
    made.arguments = {{"", subject}, {"", std::move(value)}};
    made.result_role = ir::Role::Number;
    return emit(std::move(made), {}).operand;
  };
  switch (tree_.type(inner)) {
    case Type::None: return compare("is", ir::Literal{"none"});
    case Type::String:
    case Type::ConcatenatedString:
    case Type::Integer:
    case Type::Float:
    case Type::True:
    case Type::False: return compare("eq", expression(inner).operand);
    case Type::DottedName: {
      const std::string_view text = tree_.text(inner);
      if (text.find('.') != std::string_view::npos) {
        ir::Place place;
        std::size_t at = 0;
        while (at <= text.size()) {
          const std::size_t dot = std::min(text.find('.', at), text.size());
          const std::string part(text.substr(at, dot - at));
          if (place.root.empty()) {
            place.root = part;
          } else {
            place.steps.push_back(part);
          }
          at = dot + 1;
        }
        return compare("eq", place);
      }
      always = true;
      ir::Op named = op(Kind::Assign, "", inner);
      named.arguments.push_back({"", subject});
      emit(std::move(named), Want::into(ir::Place{std::string(text), {}}));
      return ir::Literal{"true"};
    }
    case Type::UnionPattern: {
      ir::Operand all;
      bool first = true;
      for (Id each : Children(tree_, inner)) {
        bool ignored = false;
        const ir::Operand one = pattern_test(each, subject, ignored);
        if (first) {
          all = one;
          first = false;
          continue;
        }
        ir::Op either = op(Kind::Arith, "or", inner);
        either.arguments = {{"", all}, {"", one}};
        all = emit(std::move(either), {}).operand;
      }
      return all;
    }
    default: break;
  }
  ir::Op matched = op(Kind::Call, "match", pattern);
  matched.arguments.push_back({"", subject});
  std::vector<ir::Place> results{temporary()};
  const Id body = tree_.child(pattern, Field::Consequence);  // of a clause of several patterns
  const Id end = body != 0 ? body : tree_.node(pattern).after;
  for (Id at = pattern + 1; at < end; ++at) {
    const bool rest =
        tree_.type(at) == Type::Identifier && tree_.type(tree_.parent(at)) == Type::SplatPattern;
    if ((tree_.type(at) != Type::DottedName && !rest) ||
        tree_.text(at).find('.') != std::string_view::npos)
      continue;
    if (tree_.type(tree_.parent(at)) == Type::ClassPattern)
      continue;  // the class, not a name it binds
    results.push_back({std::string(tree_.text(at)), {}});
  }
  return emit(std::move(matched), Want::into(std::move(results))).operand;
}

}  // namespace forerun::python
