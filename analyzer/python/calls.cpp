#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "analyzer/python/lowering.h"

namespace forerun::python {

using ir::Kind;
using ir::Role;

namespace {

Knowledge role(Role what) { return {what, -1, {}}; }

// Protocol methods keep their kind when a class of the program overrides them.
bool is_protocol(Kind kind) {
  switch (kind) {
    case Kind::ZeroGrad:
    case Kind::Step:
    case Kind::SchedulerStep:
    case Kind::ScaleLoss:
    case Kind::Unscale:
    case Kind::ScalerStep:
    case Kind::ScalerUpdate:
    case Kind::TrainMode:
    case Kind::EvalMode:
    case Kind::Parameters:
    case Kind::StateDict:
    case Kind::Forward:
    case Kind::Loss:
    case Kind::Move: return true;
    default: return false;
  }
}

// compute_loss(…) does something, adversarial_loss(…) is a loss.
bool is_verb(std::string_view name) {
  static constexpr auto verbs = std::to_array<std::string_view>(
      {"compute", "get",    "calc",     "log",     "update",    "print", "plot",    "save",
       "reset",   "add",    "backward", "forward", "train",     "eval",  "set",     "make",
       "build",   "create", "step",     "run",     "load",      "init",  "clear",   "record",
       "write",   "test",   "val",      "on",      "configure", "apply", "prepare", "register"});
  while (name.starts_with('_')) name.remove_prefix(1);
  return std::any_of(verbs.begin(), verbs.end(), [&](std::string_view verb) {
    return name.starts_with(verb) && name.size() > verb.size() &&
           (name[verb.size()] == '_' || verb.size() > 4);
  });
}

}  // namespace

std::string Lowering::describe(const Knowledge& known) const {
  if (known.cls >= 0) return std::string(facts_.classes[static_cast<std::size_t>(known.cls)].name);
  return std::string(known.class_name);
}

// ---------------------------------------- arguments

ir::Argument Lowering::argument(Id node) {
  switch (tree_.type(node)) {
    case Type::KeywordArgument: {
      const Id name = tree_.child(node, Field::Name), value = tree_.child(node, Field::Value);
      return {name != 0 ? std::string(tree_.text(name)) : std::string(), expression(value).operand};
    }
    case Type::ListSplat:
    case Type::ParenthesizedListSplat: return {"*", expression(tree_.first_child(node)).operand};
    case Type::DictionarySplat: return {"**", expression(tree_.first_child(node)).operand};
    default: return {"", expression(node).operand};
  }
}

int Lowering::argument_count(Id call) const {
  const Id list = tree_.child(call, Field::Arguments);
  if (list == 0) return 0;
  return tree_.type(list) == Type::ArgumentList ? tree_.count(list) : 1;
}

std::vector<ir::Argument> Lowering::arguments(Id call) {
  std::vector<ir::Argument> list;
  const Id node = tree_.child(call, Field::Arguments);
  if (node == 0) return list;
  if (tree_.type(node) == Type::GeneratorExpression) {
    list.push_back(argument(node));
    return list;
  }
  for (Id each : Children(tree_, node)) {
    if (tree_.type(each) != Type::Error) list.push_back(argument(each));
  }
  return list;
}

bool Lowering::may_be_tensor(const ir::Operand& operand, const Knowledge& known) const {
  if (known.role == Role::Tensor) return true;
  const auto* place = std::get_if<ir::Place>(&operand);
  if (place == nullptr || known.role != Role::Unknown || known.cls >= 0) return false;
  return place->steps.empty() || place->root == "self" || !is_settings(place->root);
}

// ---------------------------------------- dispatch

Value Lowering::call(Id node, const Want& want) {
  Id function = tree_.child(node, Field::Function);
  while (function != 0 && tree_.type(function) == Type::Parenthesized &&
         tree_.first_child(function) != 0) {
    function = tree_.first_child(function);
  }
  if (function == 0) return {};
  const std::string qualified = roles_.callee_name(function, frame_.scope);
  if (!qualified.empty()) return call_outside(node, qualified, want);
  if (tree_.type(function) == Type::Attribute) return call_method(node, function, want);
  if (tree_.type(function) == Type::Identifier) return call_name(node, function, want);
  return call_value(node, expression(function), want);
}

Value Lowering::call_known(Id node, ir::Op made, const lexicon::Meaning& meaning,
                           const Want& want) {
  lexicon::apply(meaning, made);
  made.arguments = arguments(node);
  lexicon::normalise(made);
  return emit(std::move(made), want, role(meaning.result));
}

// torch.nn.Linear(…), F.relu(x), utils.helper(x): what an import leads to.
Value Lowering::call_outside(Id node, const std::string& qualified, const Want& want) {
  const std::string_view name = last_name(qualified);
  const Id function = tree_.child(node, Field::Function);
  // from model import net: net.train() is a method of a value, not a function of a module.
  if (tree_.type(function) == Type::Attribute && !qualified.starts_with("torch")) {
    const Id object = tree_.child(function, Field::Object);
    const Role suggested = tree_.type(object) == Type::Identifier
                               ? roles_.of_text(tree_.text(object)).role
                               : Role::Unknown;
    const auto meaning =
        suggested == Role::Unknown ? std::nullopt : lexicon::method(suggested, name);
    if (meaning && (is_protocol(meaning->kind) || meaning->kind == Kind::Print)) {
      ir::Op made = op(Kind::Call, "", node);
      made.receiver = ir::Place{std::string(tree_.text(object)), {}};
      return call_known(node, std::move(made), *meaning, want);
    }
  }
  // nn.Module.__init__(self) is super().__init__().
  if (name == "__init__" && argument_count(node) == 1) return {};
  ir::Op made = op(Kind::Call, name, node);
  made.details["spelling"] = qualified;
  if (const auto meaning = lexicon::construct(qualified)) {
    lexicon::apply(*meaning, made);
    made.callee = meaning->callee;
    made.arguments = arguments(node);
    lexicon::normalise(made);
    return emit(std::move(made), want, {meaning->result, -1, roles_.keep(meaning->callee)});
  }
  if (const auto meaning =
          lexicon::guard(qualified) ? std::nullopt : lexicon::function(qualified)) {
    const Value value = call_known(node, std::move(made), *meaning, want);
    if (meaning->callee == "exit") jump(ir::Jump::Form::Raise, {}, node);
    return value;
  }
  made.arguments = arguments(node);
  return emit(std::move(made), want, roles_.of_expression(node, frame_.scope));
}

Value Lowering::call_builtin(Id node, std::string_view name, const Want& want) {
  const Id list = tree_.child(node, Field::Arguments);
  const bool plain = list != 0 && tree_.type(list) == Type::ArgumentList;
  const int count = argument_count(node);
  if ((name == "float" || name == "int" || name == "bool") && plain && count == 1) {
    const Value value = expression(tree_.first_child(list));
    const bool read = may_be_tensor(value.operand, value.known);
    ir::Op made = op(read ? Kind::HostRead : Kind::Call, name, node);
    if (read) {
      made.receiver = value.operand;
    } else {
      made.arguments.push_back({"", value.operand});
    }
    return emit(std::move(made), want, role(Role::Number));
  }
  if ((name == "list" || name == "dict" || name == "set" || name == "tuple") && count == 0) {
    return emit(op(Kind::Pack, name, node), want, role(Role::Container));
  }
  ir::Op made = op(Kind::Call, name, node);
  if (const auto meaning = lexicon::function(name)) {
    if (meaning->kind == Kind::Query && plain && count == 1) {
      made.receiver = expression(tree_.first_child(list)).operand;
      lexicon::apply(*meaning, made);
      return emit(std::move(made), want, role(meaning->result));
    }
    const Value value = call_known(node, std::move(made), *meaning, want);
    if (meaning->callee == "exit") jump(ir::Jump::Form::Raise, {}, node);
    return value;
  }
  made.arguments = arguments(node);
  return emit(std::move(made), want, roles_.of_expression(node, frame_.scope));
}

Value Lowering::call_name(Id node, Id function, const Want& want) {
  const std::string_view name = tree_.text(function);
  Variable* found = facts_.find(frame_.scope, name);
  if (found == nullptr) return call_builtin(node, name, want);
  if (found->cls >= 0 && found->first_fact < 0) return construct_own(node, found->cls, want);
  if (found->names_class >= 0) return construct_own(node, found->names_class, want);
  if ((found->function >= 0 && found->first_fact < 0) || is_lambda(*found)) {
    ir::Op made = op(Kind::Call, name, node);
    made.arguments = arguments(node);
    return emit(std::move(made), want,
                found->function >= 0 ? roles_.of_function_result(found->function) : Knowledge{});
  }
  return call_value(node, identifier(function), want);
}

Value Lowering::construct_own(Id node, int cls, const Want& want) {
  const Knowledge known = roles_.of_class(cls);
  ir::Op made = op(Kind::Construct, describe(known), node);
  made.details["class"] = made.callee;
  made.arguments = arguments(node);
  return emit(std::move(made), want, known);
}

// A member of a module class that was made by a call, and is called: norm_layer(dim),
// Backbone(width).
bool Lowering::is_submodule(const ir::Place& place) {
  if (place.root != "self" || place.steps.size() != 1 || frame_.cls < 0) return false;
  if (roles_.of_class(frame_.cls).role != Role::Module) return false;
  const Variable* member = facts_.find_member(frame_.cls, place.steps[0]);
  for (int at = member == nullptr ? -1 : member->first_fact; at >= 0;
       at = facts_.facts[static_cast<std::size_t>(at)].next) {
    const Fact& fact = facts_.facts[static_cast<std::size_t>(at)];
    if (fact.how == How::Value && fact.node != 0 && tree_.type(fact.node) == Type::Call)
      return true;
  }
  return false;
}

// A value that is called: a module, a loss, a closure, or nobody knows what.
Value Lowering::call_value(Id node, const Value& called, const Want& want) {
  Knowledge known = called.known;
  const auto* place = std::get_if<ir::Place>(&called.operand);
  // Model(config), where Model holds a class: something is made.
  const std::string_view last =
      place == nullptr ? std::string_view{}
                       : last_name(place->steps.empty() ? std::string_view(place->root)
                                                        : std::string_view(place->steps.back()));
  if (known.cls < 0 && is_class_like(last)) {
    ir::Op made = op(Kind::Call, "", node);
    made.receiver = called.operand;
    made.arguments = arguments(node);
    return emit(std::move(made), want, role(lexicon::role_from_class_name(last)));
  }
  // A called "tensor" was one by its name alone: dice_loss(a, b).
  if (known.role == Role::Tensor) known.role = Role::Unknown;
  if (known.role == Role::Unknown && known.cls < 0 && place != nullptr) {
    const std::string_view name = place->steps.empty() ? std::string_view(place->root)
                                                       : std::string_view(place->steps.back());
    const bool settings =
        !place->steps.empty() && place->root != "self" && is_settings(place->root);
    if (!settings && !is_verb(name)) known.role = lexicon::role_from_called_name(name);
    if (known.role == Role::Unknown && is_submodule(*place)) known.role = Role::Module;
  }
  ir::Op made = op(Kind::Call, "", node);
  made.receiver = called.operand;
  const std::string cls = describe(known);
  if (!cls.empty()) made.details["class"] = cls;
  made.arguments = arguments(node);
  // loss, parts = compute_loss(…): what a loss of unknown make gives beside the loss may have no
  // graph.
  const bool parts = known.role == Role::LossModule && want.form == Want::Form::Places &&
                     want.places.size() > 1 && cls.empty();
  if (parts) return emit(std::move(made), want, {});
  if (known.role == Role::Module || known.role == Role::LossModule) {
    made.kind = known.role == Role::Module ? Kind::Forward : Kind::Loss;
    return emit(std::move(made), want, role(Role::Tensor));
  }
  Knowledge result;
  if (known.cls >= 0) {
    const int method = facts_.find_method(known.cls, "__call__");
    if (method >= 0) result = roles_.of_function_result(method);
  }
  return emit(std::move(made), want, result);
}

// ---------------------------------------- methods

Value Lowering::call_super(Id node, std::string_view name, const Want& want) {
  ir::Op made = op(Kind::Call, name, node);
  made.receiver = ir::Place{"self", {}};
  if (name == "__init__" && argument_count(node) == 0) return {};
  if (frame_.cls >= 0) {
    const ClassInfo& info = facts_.classes[static_cast<std::size_t>(frame_.cls)];
    if (!info.bases.empty()) made.details["class"] = std::string(info.bases.front().name);
    const auto meaning = lexicon::method(roles_.of_class(frame_.cls).role, name);
    if (meaning && is_protocol(meaning->kind))
      return call_known(node, std::move(made), *meaning, want);
  }
  made.arguments = arguments(node);
  return emit(std::move(made), want, {});
}

Value Lowering::own_method(Id node, int method, const Value& receiver, const Want& want) {
  const FunctionInfo& info = facts_.functions[static_cast<std::size_t>(method)];
  const std::string_view name = info.name;
  ir::Op made = op(Kind::Call, name, node);
  made.receiver = receiver.operand;
  made.details["class"] = std::string(facts_.classes[static_cast<std::size_t>(info.cls)].name);
  if (const auto meaning = lexicon::method(receiver.known.role, name);
      meaning && is_protocol(meaning->kind)) {
    return call_known(node, std::move(made), *meaning, want);
  }
  made.arguments = arguments(node);
  return emit(std::move(made), want, roles_.of_function_result(method));
}

// p.grad.zero_(), p.grad.data.mul_(k): the gradient is changed in place.
std::optional<Value> Lowering::gradient_method(Id node, Id object, std::string_view name,
                                               const Want& want) {
  if (!name.ends_with('_') || name.starts_with("__")) return std::nullopt;
  const Id owner = gradient_object(object);
  if (owner == 0) return std::nullopt;
  ir::Op made = op(Kind::GradWrite, name, node);
  made.receiver = expression(owner).operand;
  made.arguments = arguments(node);
  return emit(std::move(made), want, role(Role::Tensor));
}

// Methods that are known by more than their name and their receiver's role.
std::optional<Value> Lowering::special_method(Id node, Id object, std::string_view name,
                                              const Want& want) {
  if (is_builtin_call(object, "super")) return call_super(node, name, want);
  if (auto made = gradient_method(node, object, name, want)) return made;
  const Type type = tree_.type(object);
  if (name == "format" && (type == Type::String || type == Type::ConcatenatedString)) {
    ir::Op made = op(Kind::Format, "", node);
    made.arguments = arguments(node);
    return emit(std::move(made), want, role(Role::Text));
  }
  // x.clone().detach() is x.detach().
  if (name == "detach" && type == Type::Call) {
    const Id inner = tree_.child(object, Field::Function),
             list = tree_.child(object, Field::Arguments);
    const bool clone = inner != 0 && tree_.type(inner) == Type::Attribute && list != 0 &&
                       tree_.count(list) == 0 &&
                       tree_.text(tree_.child(inner, Field::Attribute)) == "clone";
    if (!clone) return std::nullopt;
    ir::Op made = op(Kind::Detach, "", node);
    made.receiver = expression(tree_.child(inner, Field::Object)).operand;
    return emit(std::move(made), want, role(Role::Tensor));
  }
  return std::nullopt;
}

std::optional<Value> Lowering::change_of_element(Id node, Id object, std::string_view name,
                                                 const Want& want) {
  const auto meaning = Roles::meaning_of(roles_.of_expression(object, frame_.scope).role, name);
  if (!meaning || (meaning->kind != Kind::Append && meaning->kind != Kind::Remove))
    return std::nullopt;
  if (meaning->kind == Kind::Append && argument_count(node) == 0) return std::nullopt;
  ir::Op made = op(Kind::Call, name, node);
  made.receiver = place_of(object);
  lexicon::apply(*meaning, made);
  made.arguments = arguments(node);
  if (name == "insert" && made.arguments.size() == 2) made.arguments.erase(made.arguments.begin());
  return emit(std::move(made), want, role(meaning->result));
}

// Base.setup(self, n), Config.parse(text): a method named through its class.
std::optional<Value> Lowering::method_of_class(Id node, const ir::FunctionReference& named,
                                               Id object, std::string_view name, const Want& want) {
  const Variable* found = tree_.type(object) == Type::Identifier
                              ? facts_.find(frame_.scope, tree_.text(object))
                              : nullptr;
  if (found == nullptr || found->cls < 0) return std::nullopt;
  const int method = facts_.find_method(found->cls, name);
  if (method < 0) return std::nullopt;
  const FunctionInfo& info = facts_.functions[static_cast<std::size_t>(method)];
  ir::Op made = op(Kind::Call, name, node);
  made.details["class"] = std::string(facts_.classes[static_cast<std::size_t>(info.cls)].name);
  made.receiver = named;
  made.arguments = arguments(node);
  if (info.has_self && !info.is_classmethod && !made.arguments.empty() &&
      made.arguments[0].name.empty()) {
    made.receiver = made.arguments[0].value;
    made.arguments.erase(made.arguments.begin());
  }
  if (name == "__init__" && made.arguments.empty()) return Value{};
  return emit(std::move(made), want, roles_.of_function_result(method));
}

Value Lowering::call_method(Id node, Id function, const Want& want) {
  const Id object = tree_.child(function, Field::Object),
           attribute = tree_.child(function, Field::Attribute);
  if (object == 0 || attribute == 0) return {};
  const std::string_view name = tree_.text(attribute);
  if (auto made = special_method(node, object, name, want)) return *made;
  // What grows or shrinks is a place: self.history[k].append(v) is append self.history[] (v).
  if (tree_.type(object) == Type::Subscript) {
    if (auto made = change_of_element(node, object, name, want)) return *made;
  }
  const Value base = expression(object);
  Knowledge known = base.known;
  if (const auto* named = std::get_if<ir::FunctionReference>(&base.operand)) {
    if (auto made = method_of_class(node, *named, object, name, want)) return *made;
  }
  if (known.cls >= 0) {
    const int method = facts_.find_method(known.cls, name);
    const Variable* member = facts_.find_member(known.cls, name);
    if (method >= 0 && (member == nullptr || member->first_fact < 0))
      return own_method(node, method, base, want);
    if (member != nullptr && member->first_fact >= 0)
      return call_value(node, member_place(function, name, base), want);
  }
  // What has train() or parameters() is no tensor, whatever was concluded from less.
  if (known.role == Role::Tensor && lexicon::role_from_use(name) == Role::Module)
    known.role = Role::Module;
  // f(…).eval() of whatever a factory made.
  if (known.role == Role::Unknown && known.cls < 0 && name == "eval" && argument_count(node) == 0)
    known.role = Role::Module;
  // A set's add, where the value goes nowhere: tensors' add would be lost.
  if (want.form == Want::Form::Nothing && name == "add" && known.role == Role::Unknown)
    known.role = Role::Container;
  ir::Op made = op(Kind::Call, name, node);
  made.receiver = base.operand;
  const auto meaning = Roles::meaning_of(known.role, name);
  // A call of this name that appends nothing is something else.
  if (meaning && !(meaning->kind == Kind::Append && argument_count(node) == 0)) {
    const std::string cls = meaning->kind == Kind::Forward || meaning->kind == Kind::Loss
                                ? describe(known)
                                : std::string();
    if (!cls.empty()) made.details["class"] = cls;
    lexicon::apply(*meaning, made);
    made.arguments = arguments(node);
    if (name == "insert" && made.arguments.size() == 2)
      made.arguments.erase(made.arguments.begin());
    lexicon::normalise(made);
    const bool same =
        made.kind == Kind::Move || made.kind == Kind::TrainMode || made.kind == Kind::EvalMode;
    return emit(std::move(made), want,
                same && known.role != Role::Unknown ? known : role(meaning->result));
  }
  // A member nobody assigned here, named like a network or a loss: self.criterion(a, b) of a base
  // class.
  const bool member_call =
      known.role == Role::Unknown || known.role == Role::Module || known.cls >= 0;
  const Role suggested =
      member_call && !is_verb(name) ? lexicon::role_from_called_name(name) : Role::Unknown;
  if ((suggested == Role::Module || suggested == Role::LossModule) &&
      std::holds_alternative<ir::Place>(base.operand)) {
    Value member = member_place(function, name, base);
    member.known = role(suggested);
    return call_value(node, member, want);
  }
  made.arguments = arguments(node);
  return emit(std::move(made), want, roles_.of_expression(node, frame_.scope));
}

}  // namespace forerun::python
