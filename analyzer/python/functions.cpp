// Functions, classes, lambdas, and the pieces all lowering is made of.
#include <algorithm>

#include <fmt/format.h>

#include "analyzer/python/lowering.h"

namespace forerun::python {

using ir::Kind;
using ir::Role;

namespace {

constexpr int kChainBound = 200;

}  // namespace

// ---------------------------------------- making things

ir::Op Lowering::op(Kind kind, std::string_view callee, Id at) {
  ir::Op made;
  made.kind = kind;
  made.callee = callee;
  made.at = tree_.location(at);
  return made;
}

ir::Place Lowering::temporary() { return {fmt::format("%{}", ++frame_.temporaries), {}}; }

Value Lowering::emit(ir::Op op, const Want& want, Knowledge known) {
  if (known.role == Role::Unknown) known.role = op.result_role;
  op.result_role = known.role;
  Value value;
  value.known = known;
  switch (want.form) {
    case Want::Form::Temporary: op.results.push_back(temporary()); break;
    case Want::Form::Places:
      op.results = want.places;
      value.landed = true;
      break;
    case Want::Form::Nothing: break;
  }
  if (!op.results.empty()) value.operand = op.results.front();
  push({std::move(op)});
  return value;
}

void Lowering::jump(ir::Jump::Form form, std::vector<ir::Operand> values, Id at) {
  push({ir::Jump{form, std::move(values), tree_.location(at)}});
}

void Lowering::note_variable(Variable& variable) {
  if (variable.seen_in == frame_.stamp) return;
  variable.seen_in = frame_.stamp;
  frame_.seen.push_back(&variable);
}

// Chains that nest in the IR though not in the text: elif, case, with a, b, for … for …
bool Lowering::too_many(int links, Id at) {
  if (links < kChainBound) return false;
  if (!said_chain_) {
    const Location where = tree_.location(at);
    program_.notes.push_back(
        fmt::format("{}: a chain of more than {} parts; the rest of it is not read",
                    to_string(where), kChainBound));
  }
  said_chain_ = true;
  return true;
}

// ---------------------------------------- functions

void Lowering::run() {
  ir::Function module;
  module.name = "<module>";
  module.at = tree_.location(0, 0);
  frame_ = {&module, 0, -1, 0, 0, 0, ++stamps_, {}};
  for (std::size_t i = 0; i < facts_.classes.size(); ++i) record_class(static_cast<int>(i));
  in(module.body, [&] { statements_of(0); });
  record_roles(module, frame_);
  if (!module.body.empty())
    program_.functions.insert(program_.functions.begin(), std::move(module));
}

void Lowering::record_class(int cls) {
  const ClassInfo& info = facts_.classes[static_cast<std::size_t>(cls)];
  roles_.of_class(cls);
  ir::Class made;
  made.name = info.name;
  made.at = tree_.location(info.node);
  const Id body = tree_.child(info.node, Field::Body);
  if (body != 0) made.at = tree_.location(tree_.node(info.node).begin, tree_.node(body).begin);
  for (const Base& base : info.bases) made.bases.emplace_back(base.name);
  for (Variable* member : facts_.scopes[static_cast<std::size_t>(info.scope)].variables) {
    if (member->function >= 0 || member->cls >= 0) continue;
    made.members[{"self", {std::string(member->name)}}] = roles_.of_variable(*member).role;
  }
  program_.classes.push_back(std::move(made));
}

void Lowering::record_roles(ir::Function& function, const Frame& frame) {
  const auto record = [&](Variable& variable, bool member) {
    const Role role = roles_.of_variable(variable).role;
    if (role == Role::Unknown) return;
    ir::Place place{std::string(variable.name), {}};
    if (variable.self_class >= 0) place.root = "self";
    if (member) place = {"self", {std::string(variable.name)}};
    function.roles.emplace(std::move(place), role);
  };
  for (Variable* each : facts_.scopes[static_cast<std::size_t>(frame.scope)].variables) {
    if (each->function < 0 && each->cls < 0 && each->import < 0) record(*each, false);
  }
  for (Variable* each : frame.seen) record(*each, each->name != each->place);
}

bool Lowering::wrap_in_guards(Id decorated, std::vector<ir::Scope>& guards) {
  if (decorated == 0) return false;
  for (Id each : Children(tree_, decorated)) {
    if (tree_.type(each) != Type::Decorator) continue;
    const Id value = tree_.first_child(each);
    if (value == 0) continue;
    const bool called = tree_.type(value) == Type::Call;
    const Id name = called ? tree_.child(value, Field::Function) : value;
    std::string qualified = name != 0 ? roles_.callee_name(name, frame_.scope) : std::string();
    auto form = lexicon::guard(qualified);
    // @smart_inference_mode() and the like: wrappers that are called after what they wrap.
    const std::string_view last =
        name != 0 ? last_name(facts_.place_text(name)) : std::string_view{};
    if (!form && last.ends_with("inference_mode")) form = ir::Scope::Form::InferenceMode;
    if (!form && last.ends_with("no_grad")) form = ir::Scope::Form::NoGrad;
    if (qualified.empty()) qualified = last;
    if (!form || too_many(static_cast<int>(guards.size()), each)) continue;
    ir::Scope made;
    made.form = *form;
    made.callee = qualified;
    made.at = tree_.location(each);
    if (called) made.arguments = arguments(value);
    guards.push_back(std::move(made));
  }
  return !guards.empty();
}

std::shared_ptr<ir::Function> Lowering::function_body(Id definition, Id decorated,
                                                      const FunctionInfo& info) {
  auto function = std::make_shared<ir::Function>();
  function->name = info.name;
  if (info.cls >= 0) {
    function->owner = facts_.classes[static_cast<std::size_t>(info.cls)].name;
    function->name = fmt::format("{}.{}", function->owner, info.name);
  }
  const Id body = tree_.child(definition, Field::Body);
  const std::uint32_t end = body != 0 ? tree_.node(body).begin : tree_.node(definition).end;
  function->at = tree_.location(tree_.node(definition).begin, end);

  Frame outer = std::move(frame_);
  frame_ = {function.get(), info.scope, info.cls, 0, 0, 0, ++stamps_, {}};
  if (info.cls < 0) frame_.cls = outer.cls;
  bool skip = info.has_self;
  if (const Id parameters = tree_.child(definition, Field::Parameters)) {
    for (Id each : Children(tree_, parameters)) {
      const Type type = tree_.type(each);
      if (type == Type::PositionalSeparator || type == Type::KeywordSeparator ||
          type == Type::Error)
        continue;
      Id name = tree_.child(each, Field::Name);
      if (name == 0) name = type == Type::TypedParameter ? tree_.first_child(each) : each;
      if (!skip && name != 0) function->parameters.emplace_back(tree_.text(name));
      skip = false;
    }
  }
  in(function->body, [&] {
    std::vector<ir::Scope> guards;
    wrap_in_guards(decorated, guards);
    ir::Block inner;
    in(inner, [&] {
      if (body != 0) block(body);
    });
    for (auto guard = guards.rbegin(); guard != guards.rend(); ++guard) {
      guard->body = std::move(inner);
      inner = ir::Block();
      inner.push_back({std::move(*guard)});
    }
    for (ir::Node& node : inner) push(std::move(node));
  });
  record_roles(*function, frame_);
  frame_ = std::move(outer);
  return function;
}

void Lowering::lower_function(Id definition, Id decorated) {
  const int index = facts_.function_of(definition);
  if (index < 0) return;
  const FunctionInfo info = facts_.functions[static_cast<std::size_t>(index)];
  // A method is the program's, wherever its class stands; any other function is where it stands.
  const bool nested = info.cls < 0 && frame_.scope != 0;
  if (nested) {
    std::shared_ptr<ir::Function> made = function_body(definition, decorated, info);
    push({ir::Define{std::move(made)}});
    return;
  }
  const std::size_t place = program_.functions.size();
  program_.functions.emplace_back();
  ir::Function made = std::move(*function_body(definition, decorated, info));
  program_.functions[place] = std::move(made);
}

void Lowering::lower_class(Id definition) {
  const int cls = facts_.class_of(definition);
  if (cls >= 0) class_body(definition, cls);
}

void Lowering::class_body(Id definition, int cls) {
  const Id body = tree_.child(definition, Field::Body);
  if (body == 0) return;
  const ClassInfo& info = facts_.classes[static_cast<std::size_t>(cls)];
  ir::Function own;
  own.owner = info.name;
  own.name = fmt::format("{}.<body>", info.name);
  own.at = tree_.location(definition);
  Frame outer = std::move(frame_);
  frame_ = {&own, info.scope, cls, 0, 0, 0, ++stamps_, {}};
  in(own.body, [&] { block(body); });
  // Constants of a class say nothing to training.
  const bool plain = std::all_of(own.body.begin(), own.body.end(), [](const ir::Node& node) {
    const auto* op = std::get_if<ir::Op>(&node.value);
    return op != nullptr && (op->kind == Kind::Assign || op->kind == Kind::Pack);
  });
  frame_ = std::move(outer);
  if (!plain) program_.functions.push_back(std::move(own));
}

bool Lowering::is_lambda(const Variable& variable) const {
  if (variable.first_fact < 0 || variable.first_fact != variable.last_fact ||
      variable.parameter >= 0)
    return false;
  const Fact& fact = facts_.facts[static_cast<std::size_t>(variable.first_fact)];
  return fact.how == How::Value && fact.node != 0 && tree_.type(fact.node) == Type::Lambda &&
         variable.name == variable.place;
}

std::string Lowering::lambda(Id node, std::string name) {
  if (name.empty()) name = fmt::format("lambda{}", ++frame_.lambdas);
  auto function = std::make_shared<ir::Function>();
  function->name = name;
  function->at = tree_.location(node);
  const int scope = facts_.scope_of(node);
  Frame outer = std::move(frame_);
  frame_ = {function.get(), scope < 0 ? outer.scope : scope, outer.cls, 0, 0, 0, ++stamps_, {}};
  if (const Id parameters = tree_.child(node, Field::Parameters)) {
    for (Id each : Children(tree_, parameters)) {
      const Id named = tree_.child(each, Field::Name);
      function->parameters.emplace_back(tree_.text(named != 0 ? named : each));
    }
  }
  in(function->body, [&] {
    const Id body = tree_.child(node, Field::Body);
    if (body != 0) jump(ir::Jump::Form::Return, {expression(body).operand}, body);
  });
  record_roles(*function, frame_);
  frame_ = std::move(outer);
  push({ir::Define{std::move(function)}});
  return name;
}

}  // namespace forerun::python
