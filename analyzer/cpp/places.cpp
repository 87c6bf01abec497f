// Names that can be written to, and what is known of them.
#include "analyzer/cpp/function_lowering.h"
#include "analyzer/cpp/types.h"

namespace forerun::cpp {

using namespace clang;

namespace {

// Accessors that Python has as attributes: what they return is part of the object, not something
// computed.
bool is_attribute(const CXXMemberCallExpr& call, const std::string& name) {
  if (call.getNumArgs() != 0) return false;
  const Expr* object = call.getImplicitObjectArgument();
  if (!object) return false;
  const ir::Role role = role_of(object->getType());
  if (role == ir::Role::Tensor) return name == "data";
  if (role == ir::Role::Module) return name == "is_training";
  if (role == ir::Role::Optimizer)
    return name == "param_groups" || name == "state" || name == "defaults";
  const CXXRecordDecl* own = own_class(object->getType());
  const std::string qualified = own ? qualified_name(*own) : "";
  if (qualified == "torch::OrderedDict::Item") return name == "value" || name == "key";
  return qualified == "torch::optim::OptimizerParamGroup" &&
         (name == "params" || name == "options");
}

}  // namespace

ir::Place FunctionLowering::member_place(const ir::Operand& base, const std::string& name) {
  ir::Place place{"?", {}};
  if (const auto* known = std::get_if<ir::Place>(&base)) place = *known;
  if (!name.empty()) place.steps.push_back(name);
  return place;
}

ir::Place FunctionLowering::variable_place(const ValueDecl& declaration) {
  ir::Place place{declaration.getNameAsString(), {}};
  if (place.root.empty()) place.root = "_";
  // A reference the compiler made (`auto&& [a, b]`) has no name of its own.
  know(place, declaration.getType());
  return place;
}

void FunctionLowering::know(const ir::Place& place, QualType type) {
  if (place.is_temporary() || type.isNull()) return;
  const ir::Role role = role_of(type);
  if (role != ir::Role::Unknown) function_.roles[place] = role;
}

Element element_of(const Expr* expression) {
  if (const auto* x = dyn_cast<ArraySubscriptExpr>(expression))
    return {x->getBase(), {x->getIdx()}};
  if (const auto* x = dyn_cast<CXXOperatorCallExpr>(expression)) {
    if (x->getOperator() != OO_Subscript || x->getNumArgs() < 2) return {};
    return {x->getArg(0), {x->arg_begin() + 1, x->arg_end()}};
  }
  const auto* x = dyn_cast<CXXMemberCallExpr>(expression);
  const CXXMethodDecl* method = x ? x->getMethodDecl() : nullptr;
  if (!method || !method->getIdentifier() || x->getNumArgs() != 1) return {};
  const Expr* object = x->getImplicitObjectArgument();
  const ir::Role role = role_of(object->getType());
  if (method->getName() == "at" && role == ir::Role::Container) return {object, {x->getArg(0)}};
  if (method->getName() != "index" || role != ir::Role::Tensor) return {};
  const auto* keys = dyn_cast<InitListExpr>(strip(x->getArg(0)));
  if (!keys) return {object, {x->getArg(0)}};
  return {object, {keys->inits().begin(), keys->inits().end()}};
}

const Expr* gradient_owner(const Expr* expression) {
  const auto* read = dyn_cast_or_null<CXXMemberCallExpr>(expression ? strip(expression) : nullptr);
  const CXXMethodDecl* method = read ? read->getMethodDecl() : nullptr;
  if (!method || !method->getIdentifier() || read->getNumArgs() != 0) return nullptr;
  const Expr* object = read->getImplicitObjectArgument();
  if (role_of(object->getType()) != ir::Role::Tensor) return nullptr;
  if (method->getName() == "data") return gradient_owner(object);
  return method->getName() == "grad" || method->getName() == "mutable_grad" ? object : nullptr;
}

std::optional<ir::Place> FunctionLowering::element_place(const Expr* expression) {
  const Element element = element_of(expression);
  if (!element.container) return std::nullopt;
  auto of = place(element.container);
  if (!of) {
    const ir::Operand object = value(element.container);
    if (const auto* known = std::get_if<ir::Place>(&object)) of = *known;
  }
  if (!of) return std::nullopt;
  for (const Expr* key : element.keys) value(key);
  of->steps.emplace_back("[]");
  return of;
}

std::optional<ir::Place> FunctionLowering::place(const Expr* expression) {
  const Expr* e = strip(expression);
  if (!e) return std::nullopt;
  if (isa<CXXThisExpr>(e)) return ir::Place{"self", {}};
  if (const auto* x = dyn_cast<DeclRefExpr>(e)) {
    if (!isa<VarDecl, BindingDecl>(x->getDecl())) return std::nullopt;
    if (functions_.contains(x->getDecl())) return std::nullopt;
    return variable_place(*x->getDecl());
  }
  if (const auto* x = dyn_cast<MemberExpr>(e)) {
    if (isa<VarDecl>(x->getMemberDecl())) return variable_place(*x->getMemberDecl());
    if (!isa<FieldDecl>(x->getMemberDecl())) return std::nullopt;
    const auto base = place(x->getBase());
    const ir::Place made = member_place(base ? ir::Operand(*base) : value(x->getBase()),
                                        x->getMemberDecl()->getNameAsString());
    know(made, e->getType());
    return made;
  }
  if (const auto* x = dyn_cast<CXXDependentScopeMemberExpr>(e)) {
    const auto base =
        x->isImplicitAccess() ? std::optional(ir::Place{"self", {}}) : place(x->getBase());
    return member_place(base ? ir::Operand(*base) : value(x->getBase()),
                        x->getMember().getAsString());
  }
  if (auto made = element_place(e)) return made;
  return attribute_place(e);
}

std::optional<ir::Place> FunctionLowering::attribute_place(const Expr* e) {
  const auto* call = dyn_cast<CXXMemberCallExpr>(e);
  const CXXMethodDecl* method = call ? call->getMethodDecl() : nullptr;
  const std::string name = method ? method->getNameAsString() : "";
  if (!method || !is_attribute(*call, name)) return std::nullopt;
  const auto base = place(call->getImplicitObjectArgument());
  return member_place(base ? ir::Operand(*base) : value(call->getImplicitObjectArgument()),
                      name == "is_training" ? "training" : name);
}

}  // namespace forerun::cpp
