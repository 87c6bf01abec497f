// Objects being made.
#include "analyzer/cpp/function_lowering.h"
#include "analyzer/cpp/types.h"

namespace forerun::cpp {

using namespace clang;

namespace {

bool is_iterator_pair(llvm::ArrayRef<const Expr*> given) {
  if (given.size() < 2) return false;
  const auto* second = dyn_cast<CXXMemberCallExpr>(given[1]->IgnoreImplicit());
  const CXXMethodDecl* method = second ? second->getMethodDecl() : nullptr;
  return method && method->getIdentifier() &&
         (method->getName() == "end" || method->getName() == "cend");
}

}  // namespace

ir::Operand FunctionLowering::construct(const CXXConstructExpr& e, const Sink& sink) {
  const CXXConstructorDecl* constructor = e.getConstructor();
  const CXXRecordDecl& record = *constructor->getParent();
  const auto given = written_arguments({e.getArgs(), e.getNumArgs()});
  if (given.size() == 1 && constructor->isCopyOrMoveConstructor())
    return lower(given.front(), sink);
  if (is_nothing(&e)) return plain(ir::Literal{"none"}, &e, sink);
  if (is_module_holder(&record) && given.size() == 1 && is_nothing(given.front())) {
    return plain(ir::Literal{"none"}, &e, sink);
  }
  if (is_module_holder(&record) && given.size() == 1 &&
      is_smart_pointer(own_class(given.front()->getType()))) {
    return lower(given.front(), sink);
  }
  if (is_tuple(&record) && !given.empty()) {
    ir::Op op = start(ir::Kind::Pack, "tuple");
    op.arguments = arguments(given, nullptr);
    return emit(std::move(op), &e, sink);
  }
  if (is_sequence(&record) || is_map(&record)) {
    ir::Op op = start(ir::Kind::Pack, is_map(&record) ? "dict" : "list");
    op.result_role = ir::Role::Container;
    if (is_iterator_pair(given)) {
      op = start(ir::Kind::Call, "list");
      op.arguments.push_back({{}, value(given.front())});
    } else if (!given.empty()) {
      op = start(ir::Kind::Call, record.getNameAsString());
      op.arguments = arguments(given, nullptr);
    }
    return emit(std::move(op), &e, sink);
  }
  if (given.empty() && role_of(e.getType()) == ir::Role::Text)
    return plain(ir::Literal{"\"\""}, &e, sink);
  return construct_class(record, constructor, given, &e, sink);
}

ir::Operand FunctionLowering::construct_class(const CXXRecordDecl& record,
                                              const FunctionDecl* constructor,
                                              llvm::ArrayRef<const Expr*> given, const Expr* whole,
                                              const Sink& sink) {
  const std::string qualified = qualified_name(record);
  if (qualified == "at::indexing::Slice") {
    ir::Op op = start(ir::Kind::Pack, "slice");
    for (const Expr* part : given) {
      op.arguments.push_back(
          {{}, is_nothing(part) ? ir::Operand(ir::Literal{"none"}) : value(part)});
    }
    while (op.arguments.size() < 2) op.arguments.push_back({{}, ir::Literal{"none"}});
    return emit(std::move(op), whole, sink);
  }
  const bool own = unit_.files.is_user(record);
  const auto meaning = own ? std::nullopt : lexicon::construct(qualified);
  ir::Op op = start(ir::Kind::Call, class_name(record));
  if (meaning) {
    lexicon::apply(*meaning, op);
    op.kind = ir::Kind::Construct;
    if (op.callee.empty()) op.callee = class_name(record);
  }
  // torch::NoGradGuard() that nothing holds: Python's torch.no_grad() as a statement.
  if (const auto form = own ? std::nullopt : lexicon::guard(qualified))
    op.callee = std::string(ir::name(*form));
  if (own) {
    op.kind = ir::Kind::Construct;
    op.details["class"] = class_name(record);
  }
  op.details["spelling"] = qualified;
  op.arguments = arguments(given, constructor);
  if (meaning) lexicon::normalise(op);
  if (op.result_role == ir::Role::Unknown || op.result_role == ir::Role::Other)
    op.result_role = role_of(whole->getType());
  return emit(std::move(op), whole, sink);
}

}  // namespace forerun::cpp
