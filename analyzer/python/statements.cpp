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

// ------------------------------------------------------------------------------------------------
// branches

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

// ------------------------------------------------------------------------------------------------
// loops

bool Lowering::is_builtin_call(Id call, std::string_view name) {
  if (tree_.type(call) != Type::Call) return false;
  const Id function = tree_.child(call, Field::Function);
  return function != 0 && tree_.type(function) == Type::Identifier &&
         tree_.text(function) == name && facts_.find(frame_.scope, name) == nullptr;
}

// tqdm(loader) is loader: what only shows progress leaves no trace in a loop's header.
Id Lowering::without_progress(Id iterable) {
  for (int hops = 0; hops < 4 && tree_.type(iterable) == Type::Call; ++hops) {
    const Id function = tree_.child(iterable, Field::Function),
             list = tree_.child(iterable, Field::Arguments);
    if (function == 0 || list == 0 || tree_.type(list) != Type::ArgumentList) break;
    const std::string_view name = last_name(facts_.place_text(function));
    if (!is_progress(name) || name == "trange") break;
    const Variable* found =
        tree_.type(function) == Type::Identifier ? facts_.find(frame_.scope, name) : nullptr;
    if (found != nullptr && found->import < 0) break;
    const Id first = tree_.first_child(list);
    if (first == 0 || tree_.type(first) == Type::KeywordArgument) break;
    iterable = first;
  }
  return iterable;
}

bool Lowering::counted_loop(Id left, Id right, ir::Loop& loop) {
  if (tree_.type(left) != Type::Identifier || tree_.type(right) != Type::Call) return false;
  const Id function = tree_.child(right, Field::Function),
           list = tree_.child(right, Field::Arguments);
  if (function == 0 || list == 0 || tree_.type(list) != Type::ArgumentList) return false;
  const std::string_view name = last_name(tree_.text(function));
  if (name != "trange" && !is_builtin_call(right, "range")) return false;
  std::vector<ir::Operand> bounds;
  for (Id each : Children(tree_, list)) {
    if (tree_.type(each) == Type::ListSplat) return false;
    if (tree_.type(each) == Type::KeywordArgument) continue;
    bounds.push_back(expression(each).operand);
  }
  if (bounds.empty()) return false;
  loop.form = ir::Loop::Form::Counted;
  loop.targets.push_back(place_of(left));
  loop.iterable = bounds.size() == 1 ? bounds[0] : bounds[1];
  return true;
}

void Lowering::each_loop(Id left, Id right, Id at, ir::Loop& loop) {
  loop.form = ir::Loop::Form::Each;
  loop.at = tree_.location(tree_.node(at).begin, tree_.node(right).end);
  right = without_progress(right);
  if (counted_loop(left, right, loop)) return;
  const Type type = tree_.type(left);
  const bool pattern =
      type == Type::PatternList || type == Type::TuplePattern || type == Type::ListPattern;
  if (pattern && tree_.count(left) > 1 && is_builtin_call(right, "enumerate")) {
    const Id list = tree_.child(right, Field::Arguments);
    const Id first =
        list != 0 && tree_.type(list) == Type::ArgumentList ? tree_.first_child(list) : 0;
    if (first != 0 && tree_.type(first) != Type::KeywordArgument &&
        tree_.type(first) != Type::ListSplat) {
      right = without_progress(first);
    }
  }
  if (tree_.type(right) == Type::ExpressionList) {
    loop.iterable = pack(right, "tuple", {}).operand;
  } else {
    loop.iterable = expression(right).operand;
  }
  std::vector<std::pair<ir::Place, Id>> later;
  flat_targets(left, loop.targets, later);
  in(loop.body, [&] {
    for (const auto& [place, target] : later) store(target, place);
  });
}

void Lowering::for_statement(Id node) {
  const Id left = tree_.child(node, Field::Left), right = tree_.child(node, Field::Right);
  if (left == 0 || right == 0) return statements_of(node);
  ir::Loop loop;
  each_loop(left, right, node, loop);
  ++frame_.loops;
  in(loop.body, [&] {
    if (const Id body = tree_.child(node, Field::Body)) block(body);
  });
  --frame_.loops;
  in(loop.otherwise, [&] {
    if (const Id other = tree_.child(node, Type::Else)) statements_of(other);
  });
  push({std::move(loop)});
}

void Lowering::while_statement(Id node) {
  ir::Loop loop;
  loop.form = ir::Loop::Form::While;
  const Id condition = tree_.child(node, Field::Condition);
  loop.at = tree_.location(tree_.node(node).begin,
                           condition != 0 ? tree_.node(condition).end : tree_.node(node).end);
  in(loop.head, [&] {
    if (condition != 0) loop.condition = expression(condition).operand;
  });
  const auto* literal = loop.condition ? std::get_if<ir::Literal>(&*loop.condition) : nullptr;
  if (literal != nullptr && (literal->text == "true" || literal->text == "1"))
    loop.condition.reset();
  ++frame_.loops;
  in(loop.body, [&] {
    if (const Id body = tree_.child(node, Field::Body)) block(body);
  });
  --frame_.loops;
  in(loop.otherwise, [&] {
    if (const Id other = tree_.child(node, Type::Else)) statements_of(other);
  });
  push({std::move(loop)});
}

void Lowering::try_statement(Id node) {
  ir::Try made;
  made.at = tree_.location(node);
  const Id body = tree_.child(node, Field::Body);
  if (body != 0) made.at = tree_.location(tree_.node(node).begin, tree_.node(body).begin);
  in(made.body, [&] {
    if (body != 0) block(body);
  });
  for (Id each : Children(tree_, node)) {
    switch (tree_.type(each)) {
      case Type::Except:
      case Type::ExceptGroup: {
        ir::Block handler;
        in(handler, [&] {
          if (const Id inner = tree_.child(each, Type::Block)) block(inner);
        });
        made.handlers.push_back(std::move(handler));
        break;
      }
      case Type::Else: in(made.otherwise, [&] { statements_of(each); }); break;
      case Type::Finally: in(made.finally, [&] { statements_of(each); }); break;
      default: break;
    }
  }
  push({std::move(made)});
}

// ------------------------------------------------------------------------------------------------
// with

void Lowering::with_statement(Id node) {
  const Id clause = tree_.child(node, Type::WithClause), body = tree_.child(node, Field::Body);
  std::vector<std::pair<Id, Id>> items;  // the context, and the target of `as` or 0
  const auto add = [&](Id value) {
    if (tree_.type(value) != Type::AsPattern) {
      items.emplace_back(value, 0);
      return;
    }
    const Id target = tree_.child(value, Field::Alias);
    items.emplace_back(tree_.first_child(value), target != 0 ? tree_.first_child(target) : 0);
  };
  if (clause != 0) {
    for (Id item : Children(tree_, clause)) {
      Id value = tree_.child(item, Field::Value);
      if (value == 0) value = tree_.first_child(item);
      if (value == 0) continue;
      // with (a as x, b as y): reads as a tuple.
      const bool several = tree_.type(value) == Type::Tuple && tree_.count(clause) == 1;
      if (!several) {
        add(value);
        continue;
      }
      for (Id each : Children(tree_, value)) add(each);
    }
  }
  with_items(items, 0, body, node);
}

void Lowering::with_items(const std::vector<std::pair<Id, Id>>& items, std::size_t at, Id body,
                          Id header) {
  if (at == items.size() || too_many(static_cast<int>(at), items[at].first)) {
    if (body != 0) block(body);
    return;
  }
  const auto [value, target] = items[at];
  ir::Scope made = scope_of(value);
  made.at = tree_.location(tree_.node(at == 0 ? header : value).begin, tree_.node(value).end);
  std::vector<std::pair<ir::Place, Id>> later;
  std::vector<ir::Place> places;
  if (target != 0) flat_targets(target, places, later);
  if (places.size() == 1) made.target = places.front();
  in(made.body, [&] {
    if (places.size() > 1) {
      // with f() as (a, b): the parts are taken inside.
      made.target = temporary();
      ir::Op parts = op(Kind::Unpack, "", target);
      parts.arguments.push_back({"", *made.target});
      emit(std::move(parts), Want::into(places));
    }
    for (const auto& [place, node] : later) store(node, place);
    with_items(items, at + 1, body, header);
  });
  push({std::move(made)});
}

ir::Scope Lowering::scope_of(Id value) {
  while (tree_.type(value) == Type::Parenthesized && tree_.first_child(value) != 0)
    value = tree_.first_child(value);
  ir::Scope made;
  if (tree_.type(value) == Type::Call) {
    const Id function = tree_.child(value, Field::Function);
    const std::string qualified =
        function != 0 ? roles_.callee_name(function, frame_.scope) : std::string();
    if (const auto form = lexicon::guard(qualified)) {
      made.form = *form;
      made.callee = qualified;
      made.arguments = arguments(value);
      return made;
    }
  }
  const std::size_t before = block_->size();
  const Value context = expression(value, Want::nothing());
  auto* last = block_->size() > before ? std::get_if<ir::Op>(&block_->back().value) : nullptr;
  if (last == nullptr) {
    made.arguments.push_back({"", context.operand});
    if (const auto* place = std::get_if<ir::Place>(&context.operand)) {
      made.callee = place->steps.empty() ? place->root : place->steps.back();
    } else if (const auto* function = std::get_if<ir::FunctionReference>(&context.operand)) {
      made.callee = function->name;
    } else {
      made.callee = "?";
    }
    guard_of_variable(value, made);
    return made;
  }
  // The call is the scope's own: its operation becomes the scope's arguments.
  ir::Op own = std::move(*last);
  block_->pop_back();
  made.callee = own.callee.empty() ? std::string(ir::name(own.kind)) : own.callee;
  if (own.receiver) made.arguments.push_back({"", *own.receiver});
  for (ir::Argument& each : own.arguments) made.arguments.push_back(std::move(each));
  const std::string_view name = tree_.type(value) == Type::Call
                                    ? last_name(tree_.text(tree_.child(value, Field::Function)))
                                    : std::string_view{};
  // self.autocast(), accelerator.no_grad(): wrappers that are called after what they wrap.
  if (name.ends_with("autocast")) made.form = ir::Scope::Form::Autocast;
  if (name.ends_with("inference_mode")) made.form = ir::Scope::Form::InferenceMode;
  if (name.ends_with("no_grad")) made.form = ir::Scope::Form::NoGrad;
  return made;
}

// ctx = nullcontext() if cpu else torch.autocast(…): a variable that only ever is one guard, or
// nothing, is that guard.
void Lowering::guard_of_variable(Id value, ir::Scope& made) {
  Variable* named = nullptr;
  if (tree_.type(value) == Type::Identifier) {
    named = facts_.find(frame_.scope, tree_.text(value));
  } else if (tree_.type(value) == Type::Attribute && frame_.cls >= 0) {
    named = facts_.find_member(frame_.cls, tree_.text(tree_.child(value, Field::Attribute)));
  }
  if (named == nullptr) return;
  std::optional<ir::Scope::Form> form;
  std::string callee;
  for (int at = named->first_fact; at >= 0; at = facts_.facts[static_cast<std::size_t>(at)].next) {
    const Fact fact = facts_.facts[static_cast<std::size_t>(at)];
    if (fact.how != How::Value) return;
    std::vector<Id> arms{fact.node};
    if (tree_.type(fact.node) == Type::Conditional) {
      const std::vector<Id> parts = tree_.children(fact.node);
      if (parts.size() == 3) arms = {parts[0], parts[2]};
    }
    for (Id arm : arms) {
      const Id function = tree_.type(arm) == Type::Call ? tree_.child(arm, Field::Function) : 0;
      if (function == 0) return;
      const std::string qualified = roles_.callee_name(function, fact.scope);
      const std::string_view name = last_name(qualified);
      if (name == "nullcontext" || name == "suppress") continue;
      const auto guard = lexicon::guard(qualified);
      if (!guard || (form && *form != *guard)) return;
      form = guard;
      callee = qualified;
    }
  }
  if (!form) return;
  made.form = *form;
  made.callee = callee;
}

// ------------------------------------------------------------------------------------------------
// match

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
