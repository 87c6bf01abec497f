// What leaves no trace in the IR (docs/ir.md, "Names and temporaries").
#include "analyzer/cpp/function_lowering.h"
#include "analyzer/cpp/types.h"
#include "llvm/ADT/StringSwitch.h"

namespace forerun::cpp {
namespace {

using namespace clang;

// Classes of std whose objects stand for the one value they are made of.
bool is_transparent(const CXXRecordDecl& record, bool implicit) {
  if (is_in_torch(record)) {
    const llvm::StringRef name = record.getIdentifier() ? record.getName() : "";
    if (name == "Slice") return false;
    const bool value =
        llvm::StringSwitch<bool>(name)
            .Cases("Scalar", "SymInt", "ArrayRef", "OptionalArrayRef", "IListRef", true)
            .Cases("Tensor", "TensorBase", "Device", true)
            .Cases("TensorIndex", "ExpandingArray", "ExpandingArrayWithOptionalElem", "IValue",
                   true)
            .Cases("optional", "TensorDataContainer", "intrusive_ptr", "List", "complex", "Half",
                   true)
            .Cases("BFloat16", "basic_string_view", "AnyModule", "AnyValue", "OptimizerParamGroup",
                   true)
            .Default(false);
    if (!implicit && !value) return false;
    return !is_module_holder(&record) && !is_options(&record) &&
           !derives_from(&record, "torch::nn::Module") &&
           !derives_from(&record, "torch::optim::Optimizer") &&
           !derives_from(&record, "torch::optim::LRScheduler");
  }
  if (!is_in_std(record)) return false;
  if (is_smart_pointer(&record) || is_optional(&record) || is_sequence(&record) ||
      is_map(&record) || is_tuple(&record)) {
    return true;
  }
  return llvm::StringSwitch<bool>(record.getIdentifier() ? record.getName() : "")
      .Cases("basic_string", "basic_string_view", "function", "reference_wrapper", "duration",
             "time_point", true)
      .Cases("complex", "any", "variant", "path", "__normal_iterator", "move_iterator", true)
      .Default(false);
}

// `std::vector<float> v(n)` makes n elements, `torch::Device d("cuda")` a device; neither stands
// for its argument.
bool makes_something(const CXXConstructExpr& made, const CXXRecordDecl& record,
                     const Expr* argument) {
  const llvm::StringRef name = record.getIdentifier() ? record.getName() : "";
  const bool owner = is_in_std(record) && (name == "vector" || name == "deque" || name == "list");
  return owner && !made.isListInitialization() && argument->getType()->isIntegerType();
}

const Expr* conversion_argument(const CXXConstructExpr& made, bool implicit) {
  const auto given = written_arguments({made.getArgs(), made.getNumArgs()});
  const CXXConstructorDecl* constructor = made.getConstructor();
  if (given.size() != 1) return nullptr;
  if (constructor->isCopyOrMoveConstructor()) return given.front();
  const CXXRecordDecl& record = *constructor->getParent();
  if (!is_transparent(record, implicit) || makes_something(made, record, given.front()))
    return nullptr;
  const std::string qualified = qualified_name(record);
  const bool known = lexicon::construct(qualified).has_value();
  if (!implicit && known && role_of(made.getType()) == ir::Role::Other) return nullptr;
  return given.front();
}

const Expr* looked_through_method(const CXXMemberCallExpr& call) {
  const CXXMethodDecl* method = call.getMethodDecl();
  const Expr* object = call.getImplicitObjectArgument();
  if (!method || !object) return nullptr;
  if (isa<CXXConversionDecl>(method)) return object;
  if (!method->getIdentifier()) return nullptr;
  const llvm::StringRef name = method->getName();
  const CXXRecordDecl* own = own_class(object->getType());
  if (!own) return nullptr;
  const bool none = call.getNumArgs() == 0;
  if (none && (is_smart_pointer(own) || is_module_holder(own))) {
    return name == "get" || name == "ptr" || name == "lock" ? object : nullptr;
  }
  if (none && is_optional(own)) return name == "value" ? object : nullptr;
  if (none && name == "count" && qualified_name(*own) == "std::chrono::duration") return object;
  if (none && name == "time_since_epoch" && qualified_name(*own) == "std::chrono::time_point")
    return object;
  if (none && name == "get" && own->getIdentifier() && own->getName() == "reference_wrapper")
    return object;
  if (none && name == "as" && role_of(object->getType()) == ir::Role::Module) return object;
  if (none && (name == "begin" || name == "cbegin") &&
      role_of(object->getType()) == ir::Role::Container)
    return object;
  return nullptr;
}

const Expr* looked_through_function(const CallExpr& call) {
  const FunctionDecl* callee = call.getDirectCallee();
  if (!callee || !callee->getIdentifier() || call.getNumArgs() == 0) return nullptr;
  if (isa<CXXMethodDecl>(callee) || !(is_in_std(*callee) || is_in_torch(*callee))) return nullptr;
  const bool through =
      llvm::StringSwitch<bool>(callee->getName())
          .Cases("move", "forward", "as_const", "ref", "cref", "addressof", "make_optional", true)
          .Cases("static_pointer_cast", "dynamic_pointer_cast", "const_pointer_cast", true)
          .Cases("duration_cast", "time_point_cast", "begin", "cbegin", "launder", true)
          .Case("static_unique_pointer_cast", true)
          .Default(false);
  // std::move of <algorithm> moves ranges.
  return through && call.getNumArgs() == 1 ? call.getArg(0) : nullptr;
}

const Expr* operator_operand(const CXXOperatorCallExpr& call) {
  if (call.getNumArgs() != 1) return nullptr;
  return call.getOperator() == OO_Arrow || call.getOperator() == OO_Star ? call.getArg(0) : nullptr;
}

const Expr* unary_operand(const UnaryOperator& expression) {
  switch (expression.getOpcode()) {
    case UO_Deref:
    case UO_AddrOf:
    case UO_Extension:
    case UO_Plus: return expression.getSubExpr();
    default: return nullptr;
  }
}

const Expr* cast_operand(const CastExpr& cast) {
  const Expr* inner = cast.getSubExpr();
  if (cast.getCastKind() != CK_ConstructorConversion || !isa<ImplicitCastExpr>(cast)) return inner;
  const auto* made = dyn_cast<CXXConstructExpr>(inner->IgnoreImplicit());
  const Expr* argument = made ? conversion_argument(*made, /*implicit=*/true) : nullptr;
  return argument ? argument : inner;
}

// The next expression inwards, or null when this one has a trace.
const Expr* inward(const Expr* expression) {
  if (const auto* e = dyn_cast<ParenExpr>(expression)) return e->getSubExpr();
  if (const auto* e = dyn_cast<FullExpr>(expression)) return e->getSubExpr();
  if (const auto* e = dyn_cast<CastExpr>(expression)) return cast_operand(*e);
  if (const auto* e = dyn_cast<MaterializeTemporaryExpr>(expression)) return e->getSubExpr();
  if (const auto* e = dyn_cast<CXXBindTemporaryExpr>(expression)) return e->getSubExpr();
  if (const auto* e = dyn_cast<SubstNonTypeTemplateParmExpr>(expression))
    return e->getReplacement();
  if (const auto* e = dyn_cast<CXXDefaultInitExpr>(expression)) return e->getExpr();
  if (const auto* e = dyn_cast<CXXStdInitializerListExpr>(expression)) return e->getSubExpr();
  if (const auto* e = dyn_cast<GenericSelectionExpr>(expression)) {
    return e->isResultDependent() ? nullptr : e->getResultExpr();
  }
  if (const auto* e = dyn_cast<CoroutineSuspendExpr>(expression))
    return isa<CoawaitExpr>(e) ? e->getOperand() : nullptr;
  if (const auto* e = dyn_cast<DependentCoawaitExpr>(expression)) return e->getOperand();
  if (const auto* e = dyn_cast<PackExpansionExpr>(expression)) return e->getPattern();
  if (const auto* e = dyn_cast<UnaryOperator>(expression)) return unary_operand(*e);
  if (const auto* e = dyn_cast<CXXOperatorCallExpr>(expression)) return operator_operand(*e);
  if (const auto* e = dyn_cast<CXXMemberCallExpr>(expression)) return looked_through_method(*e);
  if (const auto* e = dyn_cast<CallExpr>(expression)) return looked_through_function(*e);
  if (const auto* e = dyn_cast<CXXConstructExpr>(expression))
    return conversion_argument(*e, /*implicit=*/false);
  if (const auto* e = dyn_cast<ParenListExpr>(expression))
    return e->getNumExprs() == 1 ? e->getExpr(0) : nullptr;
  if (const auto* e = dyn_cast<InitListExpr>(expression)) {
    const bool scalar = !e->getType().isNull() && e->getType()->isScalarType();
    return e->getNumInits() == 1 && (scalar || e->isTransparent()) ? e->getInit(0) : nullptr;
  }
  return nullptr;
}

}  // namespace

const Expr* strip(const Expr* expression) {
  while (expression) {
    const Expr* inner = inward(expression);
    if (!inner) break;
    expression = inner;
  }
  return expression;
}

std::vector<const Expr*> written_arguments(llvm::ArrayRef<const Expr*> arguments) {
  std::vector<const Expr*> written;
  for (const Expr* argument : arguments) {
    if (!isa<CXXDefaultArgExpr>(argument)) written.push_back(argument);
  }
  return written;
}

bool is_nothing(const Expr* expression) {
  expression = strip(expression);
  if (!expression) return true;
  if (isa<CXXNullPtrLiteralExpr, GNUNullExpr>(expression)) return true;
  if (const auto* list = dyn_cast<InitListExpr>(expression)) return list->getNumInits() == 0;
  if (const auto* reference = dyn_cast<DeclRefExpr>(expression)) {
    const IdentifierInfo* name = reference->getDecl()->getIdentifier();
    return name && name->getName() == "nullopt";
  }
  const auto* made = dyn_cast<CXXConstructExpr>(expression);
  if (!made || !written_arguments({made->getArgs(), made->getNumArgs()}).empty()) return false;
  const CXXRecordDecl* record = made->getConstructor()->getParent();
  const ir::Role role = role_of(made->getType());
  const llvm::StringRef name = record->getIdentifier() ? record->getName() : "";
  return role == ir::Role::Tensor || is_optional(record) || is_smart_pointer(record) ||
         name == "nullopt_t";
}

}  // namespace forerun::cpp
