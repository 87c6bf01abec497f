#include "analyzer/python/lowering.h"

namespace forerun::python {

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

}  // namespace forerun::python
