// with: guards, what holds them, and everything else.
#include "analyzer/python/lowering.h"

namespace forerun::python {

using ir::Kind;

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

}  // namespace forerun::python
