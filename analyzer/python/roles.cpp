#include "analyzer/python/roles.h"

#include <algorithm>
#include <array>

namespace forerun::python {
namespace {

using ir::Role;

constexpr int kInferenceBudget = 2000;  // expressions looked at for one answer
constexpr int kInferenceBound = 40;  // of expressions within expressions; beyond, nothing is known

Knowledge role(Role what) { return {what, -1, {}}; }

template <std::size_t size>
bool among(std::string_view name, const std::array<std::string_view, size>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Two values of one name. A number that may also be a tensor is a tensor; where one of two is
// unknown only what has methods of its own (a module, an optimizer …) is believed.
Knowledge joined(const Knowledge& a, const Knowledge& b) {
  if (a.role == b.role) return a.cls == b.cls ? a : role(a.role);
  if (a.role == Role::Tensor || b.role == Role::Tensor) {
    const Role other = a.role == Role::Tensor ? b.role : a.role;
    if (other == Role::Number || other == Role::Unknown) return role(Role::Tensor);
  }
  const auto strong = [](Role each) {
    return each == Role::Module || each == Role::Optimizer || each == Role::Scheduler ||
           each == Role::Scaler || each == Role::Loader || each == Role::LossModule;
  };
  if (strong(a.role) && !strong(b.role)) return a;
  if (strong(b.role) && !strong(a.role)) return b;
  return {};
}

}  // namespace

bool is_plain_module(std::string_view qualified) {
  static constexpr auto roots =
      std::to_array<std::string_view>({"os",        "sys",        "math",       "random",
                                       "time",      "json",       "re",         "argparse",
                                       "pathlib",   "glob",       "shutil",     "datetime",
                                       "csv",       "logging",    "numpy",      "pandas",
                                       "yaml",      "pickle",     "string",     "itertools",
                                       "socket",    "subprocess", "hashlib",    "uuid",
                                       "copyreg",   "struct",     "platform",   "multiprocessing",
                                       "threading", "tempfile",   "inspect",    "warnings",
                                       "sklearn",   "scipy",      "matplotlib", "cv2",
                                       "PIL",       "wandb",      "psutil",     "gc",
                                       "types",     "typing",     "enum",       "dataclasses"});
  return among(qualified.substr(0, qualified.find('.')), roots);
}

bool is_class_like(std::string_view name) {
  if (name.empty() || name.front() < 'A' || name.front() > 'Z') return false;
  return std::any_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

bool is_settings(std::string_view name) {
  static constexpr auto names = std::to_array<std::string_view>(
      {"args",  "arg",     "cfg",      "config", "conf",      "hparams",  "params", "hps",
       "flags", "FLAGS",   "options",  "opts",   "opt",       "settings", "hyp",    "C",
       "self",  "request", "response", "parser", "namespace", "kwargs",   "exp"});
  return among(name, names) || name.ends_with("_args") || name.ends_with("_config") ||
         name.ends_with("_cfg");
}

std::string_view last_name(std::string_view place) { return place.substr(place.rfind('.') + 1); }

bool is_progress(std::string_view name) {
  static constexpr auto names =
      std::to_array<std::string_view>({"tqdm", "track", "trange", "ProgressBar", "progress_bar"});
  return among(name, names);
}

Knowledge Roles::of_expression(Id node, int scope, int depth) {
  if (depth == 0) asked_ = 0;
  if (node == 0 || depth > kInferenceBound || ++asked_ > kInferenceBudget) return {};
  switch (tree_.type(node)) {
    case Type::Identifier: {
      Variable* found = facts_.find(scope, tree_.text(node));
      return found != nullptr ? of_variable(*found, depth + 1) : of_text(tree_.text(node));
    }
    case Type::Attribute: return of_attribute(node, scope, depth + 1);
    case Type::Call: return of_call(node, scope, depth + 1);
    case Type::Integer:
    case Type::Float:
    case Type::True:
    case Type::False: return role(Role::Number);
    case Type::String:
    case Type::ConcatenatedString: return role(Role::Text);
    case Type::List:
    case Type::Tuple:
    case Type::ExpressionList:
    case Type::Set:
    case Type::Dictionary:
    case Type::ListComprehension:
    case Type::SetComprehension:
    case Type::DictionaryComprehension:
    case Type::GeneratorExpression: return role(Role::Container);
    case Type::Lambda: return role(Role::Other);
    case Type::Parenthesized:
    case Type::Await: return of_expression(tree_.first_child(node), scope, depth + 1);
    case Type::NamedExpression:
      return of_expression(tree_.child(node, Field::Value), scope, depth + 1);
    case Type::UnaryOperator:
      return of_expression(tree_.child(node, Field::Argument), scope, depth + 1);
    case Type::BinaryOperator:
    case Type::ComparisonOperator: return of_binary(node, scope, depth + 1);
    case Type::NotOperator: return role(Role::Number);
    case Type::BooleanOperator:
      return joined(of_expression(tree_.child(node, Field::Left), scope, depth + 1),
                    of_expression(tree_.child(node, Field::Right), scope, depth + 1));
    case Type::Conditional: {
      const Id first = tree_.first_child(node);
      const Id condition = first == 0 ? 0 : tree_.next(node, first);
      const Id other = condition == 0 ? 0 : tree_.next(node, condition);
      if (other == 0) return {};
      if (tree_.type(other) == Type::None) return of_expression(first, scope, depth + 1);
      if (tree_.type(first) == Type::None) return of_expression(other, scope, depth + 1);
      return joined(of_expression(first, scope, depth + 1), of_expression(other, scope, depth + 1));
    }
    case Type::Subscript: {
      const Id object = tree_.child(node, Field::Value);
      const Knowledge base = of_expression(object, scope, depth + 1);
      if (base.role == Role::Tensor || base.role == Role::Text || base.role == Role::Other)
        return role(base.role);
      return object == 0 ? Knowledge{} : of_element_of(base, object);
    }
    default: return {};
  }
}

Knowledge Roles::of_binary(Id node, int scope, int depth) {
  // The operands of a long sum stand to the left of each other: no recursion into them.
  Knowledge all = role(Role::Number);
  bool unknown = false;
  for (int terms = 0;
       tree_.type(node) == Type::BinaryOperator || tree_.type(node) == Type::ComparisonOperator;
       ++terms) {
    if (terms > 64) return {};
    Id left = 0;
    for (Id each : Children(tree_, node)) {
      if (tree_.type(each) == Type::Token) continue;
      if (left == 0) {
        left = each;
        continue;
      }
      const Knowledge known = of_expression(each, scope, depth + 1);
      if (known.role == Role::Tensor || known.role == Role::Text || known.role == Role::Container)
        return role(known.role);
      unknown |= known.role != Role::Number && known.role != Role::Other;
    }
    if (left == 0) return {};
    node = left;
  }
  const Knowledge known = of_expression(node, scope, depth + 1);
  if (known.role == Role::Tensor || known.role == Role::Text || known.role == Role::Container)
    return role(known.role);
  if (unknown || (known.role != Role::Number && known.role != Role::Other)) return {};
  return all;
}

Knowledge Roles::of_text(std::string_view place) const {
  const auto used = facts_.uses.find(place);
  return of_uses(place, used == facts_.uses.end() ? 0 : used->second);
}

Knowledge Roles::of_uses(std::string_view place, unsigned bits) const {
  const std::string_view name = last_name(place);
  const auto has = [bits](Role each) { return (bits & (1U << static_cast<unsigned>(each))) != 0; };
  const Role named = lexicon::role_from_name(name);
  if (has(Role::Optimizer)) return role(Role::Optimizer);
  if ((bits & kUsesZeroGrad) != 0 && (bits & kUsesStep) != 0 && named != Role::Other)
    return role(Role::Optimizer);
  if (has(Role::Scaler) || ((bits & kUsesScale) != 0 && (bits & kUsesUpdate) != 0))
    return role(Role::Scaler);
  if (has(Role::Scheduler)) return role(Role::Scheduler);
  if (named == Role::Other) return role(Role::Other);
  if (has(Role::Module)) return role(named == Role::LossModule ? Role::LossModule : Role::Module);
  if (has(Role::Tensor)) return role(Role::Tensor);
  const auto dot = place.find('.');
  const std::string_view root = place.substr(0, dot);
  // What is known of args.model is that it is no tensor.
  if (dot != std::string_view::npos && root != "self" && is_settings(root))
    return role(Role::Other);
  return role(named);
}

Knowledge Roles::of_variable(Variable& variable, int depth) {
  if (variable.state == Variable::State::Known) return variable.known;
  if (variable.state == Variable::State::Busy || depth > kInferenceBound) return {};
  variable.state = Variable::State::Busy;
  Knowledge known;
  if (variable.self_class >= 0) {
    known = of_class(variable.self_class);
  } else {
    known = of_facts(variable, depth + 1);
    if (known.role == Role::Unknown && known.cls < 0 && variable.annotation != 0) {
      known = of_annotation(variable.annotation, 0);
    }
    if (known.role == Role::Unknown && known.cls < 0 && variable.default_value != 0 &&
        variable.first_fact < 0) {
      known = of_expression(variable.default_value, 0, depth + 1);
    }
    if (known.role == Role::Unknown && variable.function < 0 && variable.cls < 0) {
      // Its own uses, then those of the same name elsewhere in the file, then the name.
      known.role = variable.uses != 0 ? of_uses(variable.place, variable.uses).role : Role::Unknown;
      if (known.role == Role::Unknown) known.role = of_text(variable.place).role;
    }
  }
  variable.state = Variable::State::Known;
  variable.known = known;
  return known;
}

Knowledge Roles::of_facts(const Variable& variable, int depth) {
  Knowledge all;
  bool first = true;
  int looked = 0;
  for (int at = variable.first_fact; at >= 0 && looked < 32;
       at = facts_.facts[static_cast<std::size_t>(at)].next, ++looked) {
    const Fact fact = facts_.facts[static_cast<std::size_t>(at)];
    if (fact.node != 0 && tree_.type(fact.node) == Type::None) continue;
    const Knowledge known = of_fact(fact, depth + 1);
    if (fact.how == How::Augmented && known.role != Role::Tensor) continue;
    all = first ? known : joined(all, known);
    first = false;
  }
  return all;
}

Knowledge Roles::of_fact(const Fact& fact, int depth) {
  switch (fact.how) {
    case How::Value:
    case How::Augmented: return of_expression(fact.node, fact.scope, depth + 1);
    case How::Element: return of_element(fact.node, fact.index, fact.scope, depth + 1);
    case How::Unpacked: return of_part(fact, depth + 1);
    case How::Context: return {};
    case How::Opaque: return role(Role::Other);
  }
  return {};
}

// a, b = f(): a part of what f gives, where f is a function of the file that returns tuples.
Knowledge Roles::of_part(const Fact& fact, int depth) {
  if (fact.node == 0 || tree_.type(fact.node) != Type::Call) {
    const Knowledge whole = of_expression(fact.node, fact.scope, depth + 1);
    return whole.role == Role::Tensor ? whole : Knowledge{};
  }
  const Id callee = tree_.child(fact.node, Field::Function);
  const Variable* found = callee != 0 && tree_.type(callee) == Type::Identifier
                              ? facts_.find(fact.scope, tree_.text(callee))
                              : nullptr;
  if (found == nullptr || found->function < 0) {
    const Knowledge whole = of_expression(fact.node, fact.scope, depth + 1);
    return whole.role == Role::Tensor ? whole : Knowledge{};
  }
  const FunctionInfo& function = facts_.functions[static_cast<std::size_t>(found->function)];
  Knowledge all;
  bool first = true;
  for (Id value : function.returns) {
    if (tree_.type(value) != Type::Tuple && tree_.type(value) != Type::ExpressionList) return {};
    int at = 0;
    for (Id each : Children(tree_, value)) {
      if (at++ != fact.index) continue;
      const Knowledge known = of_expression(each, function.scope, depth + 1);
      all = first ? known : joined(all, known);
      first = false;
    }
  }
  return all;
}

Knowledge Roles::of_element(Id iterable, int index, int scope, int depth) {
  if (iterable == 0 || depth > kInferenceBound) return {};
  const Type type = tree_.type(iterable);
  if (type == Type::Call) {
    const Id callee = tree_.child(iterable, Field::Function),
             list = tree_.child(iterable, Field::Arguments);
    if (callee == 0 || list == 0) return {};
    const std::string_view name = last_name(tree_.text(callee));
    Id first = tree_.first_child(list);
    if (name == "range" || name == "trange") return role(Role::Number);
    if (name == "enumerate")
      return index == 0 ? role(Role::Number) : of_element(first, index - 1, scope, depth + 1);
    if (name == "zip") {
      Id at = first;
      for (int i = 0; i < index && at != 0; ++i) at = tree_.next(list, at);
      return index < 0 ? Knowledge{} : of_element(at, -1, scope, depth + 1);
    }
    if (name == "parameters") return role(Role::Tensor);
    if (name == "named_parameters")
      return index == 0 ? role(Role::Text) : index > 0 ? role(Role::Tensor) : Knowledge{};
    if (name == "children" || name == "modules") return role(Role::Module);
    if (is_progress(name) || name == "iter" || name == "reversed" || name == "list" ||
        name == "sorted" || name == "islice" || name == "log_every") {
      return of_element(first, index, scope, depth + 1);
    }
  }
  if (type == Type::List || type == Type::Tuple || type == Type::ExpressionList) {
    Knowledge all;
    bool first = true;
    for (Id each : Children(tree_, iterable)) {
      const Knowledge known = of_expression(each, scope, depth + 1);
      all = first ? known : joined(all, known);
      first = false;
    }
    return all;
  }
  return of_element_of(of_expression(iterable, scope, depth + 1), iterable);
}

// An element of `whole`, which is written as `iterable`.
Knowledge Roles::of_element_of(const Knowledge& whole, Id iterable) const {
  if (whole.role == Role::Loader || whole.role == Role::Tensor) return role(Role::Tensor);
  if (whole.role == Role::Text) return role(Role::Text);
  // optimizers, models["g"]: the elements are what the name says of one.
  const std::string_view name = last_name(facts_.place_text(iterable));
  if (name.size() > 2 && name.ends_with('s')) {
    const Role one = lexicon::role_from_name(name.substr(0, name.size() - 1));
    if (one != Role::Loader && one != Role::Other && one != Role::Unknown) return role(one);
  }
  if (whole.role == Role::Optimizer || whole.role == Role::Module ||
      whole.role == Role::Scheduler) {
    return role(whole.role);  // a dict that is called like what it holds
  }
  return {};
}

Knowledge Roles::of_attribute(Id node, int scope, int depth) {
  const Id object = tree_.child(node, Field::Object),
           attribute = tree_.child(node, Field::Attribute);
  if (object == 0 || attribute == 0) return {};
  const std::string_view name = tree_.text(attribute);
  if (tree_.type(object) == Type::Identifier || tree_.type(object) == Type::Attribute) {
    const std::string qualified = facts_.qualified(node, scope);
    if (!qualified.empty()) return role(is_plain_module(qualified) ? Role::Other : Role::Unknown);
  }
  const Knowledge base = of_expression(object, scope, depth + 1);
  if (base.cls >= 0) {
    if (Variable* member = facts_.find_member(base.cls, name))
      return of_variable(*member, depth + 1);
  }
  if (base.role == Role::Tensor || base.role == Role::Unknown) {
    if (name == "grad" || name == "T") return role(Role::Tensor);
    if (name == "shape") return role(Role::Container);
    if (name == "data" && base.role == Role::Tensor) return role(Role::Tensor);
    if (name == "device" || name == "dtype") return role(Role::Other);
  }
  const std::string_view text = facts_.place_text(node);
  if (!text.empty()) return of_text(text);
  return role(lexicon::role_from_name(name));
}

Knowledge Roles::of_class(int cls) {
  ClassInfo& info = facts_.classes[static_cast<std::size_t>(cls)];
  Knowledge known{info.role, cls, {}};
  if (info.state != Variable::State::Open) return known;
  info.state = Variable::State::Busy;
  Role found = info.bases.empty() ? Role::Other : Role::Unknown;
  bool outside = false;
  for (const Base& base : info.bases) {
    Role each = Role::Unknown;
    if (base.cls >= 0) {
      each = of_class(base.cls).role;
    } else if (const auto meaning = lexicon::construct(base.qualified)) {
      each = meaning->result;
    } else {
      each = base.name == "_Loss" || base.name == "_WeightedLoss"
                 ? Role::LossModule
                 : lexicon::role_from_class_name(base.name);
      if (each == Role::Unknown && base.name.ends_with("Module")) each = Role::Module;
      outside = true;
    }
    if (found == Role::Unknown || found == Role::Other) found = each;
  }
  if (found == Role::Unknown && outside && info.methods.contains("forward")) found = Role::Module;
  if (found == Role::Module && (info.name.ends_with("Loss") || info.name.ends_with("Criterion")))
    found = Role::LossModule;
  const bool scales = info.methods.contains("scale") && info.methods.contains("step") &&
                      info.methods.contains("update");
  if (info.name.ends_with("Scaler") && scales) found = Role::Scaler;
  info.role = found;
  info.state = Variable::State::Known;
  known.role = found;
  return known;
}

Knowledge Roles::of_function_result(int function, int depth) {
  FunctionInfo& info = facts_.functions[static_cast<std::size_t>(function)];
  if (info.state == Variable::State::Known) return info.result;
  if (info.state == Variable::State::Busy || depth > kInferenceBound) return {};
  info.state = Variable::State::Busy;
  Knowledge all;
  bool first = true;
  if (!info.is_generator) {
    for (Id value : std::vector<Id>(info.returns)) {
      if (tree_.type(value) == Type::None) continue;
      const Knowledge known = of_expression(value, info.scope, depth + 1);
      all = first ? known : joined(all, known);
      first = false;
    }
  }
  if (all.role == Role::Unknown && all.cls < 0) {
    if (const Id annotation = tree_.child(info.node, Field::ReturnType))
      all = of_annotation(annotation, 0);
  }
  info.result = all;
  info.state = Variable::State::Known;
  return all;
}

Knowledge Roles::of_annotation(Id node, int scope, int depth) {
  if (node == 0 || depth > 8) return {};
  switch (tree_.type(node)) {
    case Type::TypeNode:
    case Type::Parenthesized: return of_annotation(tree_.first_child(node), scope, depth + 1);
    case Type::String: return {};
    case Type::GenericType:
    case Type::Subscript: {
      const Id name = tree_.first_child(node);
      if (name == 0) return {};
      const std::string_view text = last_name(tree_.text(name));
      if (text != "Optional" && text != "Annotated" && text != "Final" && text != "ClassVar") {
        return of_annotation(name, scope, depth + 1);
      }
      Id inner = tree_.next(node, name);
      if (inner != 0 && tree_.type(inner) == Type::TypeParameter) inner = tree_.first_child(inner);
      return of_annotation(inner, scope, depth + 1);
    }
    case Type::UnionType:
    case Type::BinaryOperator: {
      for (Id each : Children(tree_, node)) {
        if (tree_.type(each) == Type::Token) continue;
        const Knowledge known = of_annotation(each, scope, depth + 1);
        if (known.role != Role::Unknown || known.cls >= 0) return known;
      }
      return {};
    }
    case Type::MemberType:
    case Type::Identifier:
    case Type::Attribute: break;
    default: return {};
  }
  const std::string_view text = tree_.text(node);
  static constexpr auto numbers = std::to_array<std::string_view>({"float", "int", "bool"});
  static constexpr auto containers =
      std::to_array<std::string_view>({"list", "dict", "set", "tuple", "List", "Dict", "Set",
                                       "Tuple", "Sequence", "Iterable", "Mapping", "deque"});
  if (among(text, numbers)) return role(Role::Number);
  if (text == "str") return role(Role::Text);
  if (among(last_name(text), containers)) return role(Role::Container);
  if (tree_.type(node) == Type::Identifier) {
    const Variable* found = facts_.find(scope, text);
    if (found != nullptr && found->cls >= 0) return of_class(found->cls);
  }
  std::string qualified = facts_.qualified(node, scope);
  if (qualified.empty()) qualified = "torch." + std::string(text);
  if (const auto meaning = lexicon::construct(qualified)) {
    return {meaning->result, -1, keep(meaning->callee)};
  }
  return role(lexicon::role_from_class_name(last_name(text)));
}

}  // namespace forerun::python
