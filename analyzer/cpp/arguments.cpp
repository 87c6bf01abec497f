// Arguments as the IR has them: defaults left out, options objects as keywords, flags by name.
#include "analyzer/cpp/function_lowering.h"
#include "analyzer/cpp/types.h"

namespace forerun::cpp {

using namespace clang;

namespace {

const ParmVarDecl* parameter(const FunctionDecl* callee, std::size_t index) {
  if (!callee || index >= callee->getNumParams()) return nullptr;
  return callee->getParamDecl(static_cast<unsigned>(index));
}

std::string parameter_name(const ParmVarDecl* parameter) {
  if (!parameter || !parameter->getIdentifier()) return {};
  std::string name = parameter->getName().str();
  while (name.ends_with('_')) name.pop_back();
  return name;
}

// LibTorch writes flags and reductions by position where Python writes them by name.
bool is_named_in_python(const ParmVarDecl& parameter, std::size_t index) {
  const std::string name = parameter_name(&parameter);
  if (name == "set_to_none" || name == "reduction") return true;
  return index > 0 && is_bool_like(parameter.getType());
}

bool is_options_type(QualType type) { return !type.isNull() && is_options(own_class(type)); }

// What `torch::dtype(…)`, or a conversion to TensorOptions, sets.
std::string tensor_option(const Expr* value) {
  const QualType type = value->getType();
  if (type.isNull()) return {};
  std::string name;
  if (const auto* enumeration = type.getNonReferenceType()->getAs<EnumType>()) {
    name = enumeration->getDecl()->getNameAsString();
  } else if (const CXXRecordDecl* record = own_class(type)) {
    name = record->getNameAsString();
  }
  if (name == "ScalarType" || name == "TypeMeta") return "dtype";
  if (name == "Device" || name == "DeviceType") return "device";
  if (name == "Layout") return "layout";
  if (name == "MemoryFormat") return "memory_format";
  return {};
}

}  // namespace

std::vector<ir::Argument> FunctionLowering::arguments(llvm::ArrayRef<const Expr*> given,
                                                      const FunctionDecl* callee) {
  std::vector<ir::Argument> result;
  const bool torch = callee && is_in_torch(*callee) && !unit_.files.is_user(*callee);
  const bool written_parameters = torch && !callee->isTemplateInstantiation();
  bool by_name = false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Expr* argument = given[i];
    if (isa<CXXDefaultArgExpr>(argument)) continue;
    if (options_arguments(argument, result)) continue;
    const ParmVarDecl* known = written_parameters ? parameter(callee, i) : nullptr;
    if (known && is_nothing(argument)) {
      by_name = true;
      continue;
    }
    const bool named = known && (by_name || is_named_in_python(*known, i));
    const bool spread = isa<PackExpansionExpr>(argument);
    result.push_back({named ? parameter_name(known) : spread ? "*" : "", value(argument)});
  }
  return result;
}

bool FunctionLowering::options_arguments(const Expr* expression, std::vector<ir::Argument>& into) {
  // The conversion to options is what strip() would look through, so look for it first.
  const Expr* e = expression;
  const Expr* previous = nullptr;
  while (e && e != previous) {
    previous = e;
    e = e->IgnoreParenImpCasts();
    if (const auto* x = dyn_cast<FullExpr>(e)) e = x->getSubExpr();
    if (const auto* x = dyn_cast<MaterializeTemporaryExpr>(e)) e = x->getSubExpr();
    if (const auto* x = dyn_cast<CXXBindTemporaryExpr>(e)) e = x->getSubExpr();
    if (const auto* x = dyn_cast<CXXFunctionalCastExpr>(e)) e = x->getSubExpr();
    if (const auto* x = dyn_cast<CXXConstructExpr>(e)) {
      const bool copy = x->getConstructor()->isCopyOrMoveConstructor() && x->getNumArgs() >= 1;
      if (copy && is_options(x->getConstructor()->getParent())) e = x->getArg(0);
    }
    if (const auto* x = dyn_cast<CallExpr>(e); x && x->getNumArgs() == 1) {
      const FunctionDecl* callee = x->getDirectCallee();
      if (callee && callee->getIdentifier() && callee->getName() == "move" && is_in_std(*callee))
        e = x->getArg(0);
    }
  }
  if (!e || e->getType().isNull() || !is_options_type(e->getType())) return false;
  if (const auto* made = dyn_cast<CXXConstructExpr>(e)) {
    options_construction(*made, into);
    return true;
  }
  if (const auto* call = dyn_cast<CXXMemberCallExpr>(e)) {
    const CXXMethodDecl* method = call->getMethodDecl();
    const bool setter = method && is_options(method->getParent()) && call->getNumArgs() > 0;
    if (!setter) return false;
    options_arguments(call->getImplicitObjectArgument(), into);
    ir::Operand set = value(call->getArg(0));
    // device(torch::kCUDA, 1) is "cuda:1".
    const auto* device = std::get_if<ir::Literal>(&set);
    const bool indexed =
        device && call->getNumArgs() > 1 && !isa<CXXDefaultArgExpr>(call->getArg(1));
    const auto index = indexed ? literal(strip(call->getArg(1))) : std::nullopt;
    if (index && device->text.ends_with('"')) {
      set = ir::Literal{device->text.substr(0, device->text.size() - 1) + ":" + index->text + "\""};
    }
    into.push_back({method->getNameAsString(), std::move(set)});
    return true;
  }
  if (const auto* call = dyn_cast<CallExpr>(e)) return options_function(*call, into);
  if (isa<InitListExpr>(e)) return cast<InitListExpr>(e)->getNumInits() == 0;
  // A variable that holds options: the reader knows what is in it.
  into.push_back({"", value(e)});
  return true;
}

void FunctionLowering::options_construction(const CXXConstructExpr& made,
                                            std::vector<ir::Argument>& into) {
  const CXXConstructorDecl* constructor = made.getConstructor();
  const std::string record = qualified_name(*constructor->getParent());
  const bool by_name =
      record.starts_with("torch::optim::") || record == "torch::data::DataLoaderOptions";
  for (unsigned i = 0; i < made.getNumArgs(); ++i) {
    const Expr* argument = made.getArg(i);
    if (isa<CXXDefaultArgExpr>(argument)) continue;
    std::string name;
    if (by_name) name = parameter_name(parameter(constructor, i));
    if (record == "c10::TensorOptions") name = tensor_option(strip(argument));
    into.push_back({name, value(argument)});
  }
}

// torch::dtype(torch::kFloat).device(…) starts with a function.
bool FunctionLowering::options_function(const CallExpr& call, std::vector<ir::Argument>& into) {
  const FunctionDecl* callee = call.getDirectCallee();
  if (!callee || !callee->getIdentifier() || call.getNumArgs() != 1 || !is_in_torch(*callee))
    return false;
  const std::string name = callee->getName().str();
  if (name != "dtype" && name != "device" && name != "layout" && name != "requires_grad" &&
      name != "device_index" && name != "memory_format") {
    return false;
  }
  into.push_back({name, value(call.getArg(0))});
  return true;
}

}  // namespace forerun::cpp
