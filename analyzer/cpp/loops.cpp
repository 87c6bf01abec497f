#include <utility>

#include "analyzer/cpp/function_lowering.h"
#include "analyzer/cpp/types.h"

namespace forerun::cpp {

using namespace clang;

namespace {

const ValueDecl* named(const Expr* e) {
  const auto* reference = dyn_cast_or_null<DeclRefExpr>(strip(e));
  return reference ? reference->getDecl() : nullptr;
}

// The variable an increment moves: ++i, i += 2, i = i + 1.
const ValueDecl* moved(const Expr* increment) {
  const Expr* e = strip(increment);
  if (const auto* x = dyn_cast_or_null<UnaryOperator>(e); x && x->isIncrementDecrementOp())
    return named(x->getSubExpr());
  if (const auto* x = dyn_cast_or_null<CompoundAssignOperator>(e)) {
    return x->getOpcode() == BO_AddAssign || x->getOpcode() == BO_SubAssign ? named(x->getLHS())
                                                                            : nullptr;
  }
  if (const auto* x = dyn_cast_or_null<BinaryOperator>(e); x && x->getOpcode() == BO_Assign) {
    const auto* sum = dyn_cast<BinaryOperator>(strip(x->getRHS()));
    return sum && sum->isAdditiveOp() && named(sum->getLHS()) == named(x->getLHS())
               ? named(x->getLHS())
               : nullptr;
  }
  if (const auto* x = dyn_cast_or_null<CXXOperatorCallExpr>(e)) {
    const bool step = x->getOperator() == OO_PlusPlus || x->getOperator() == OO_MinusMinus ||
                      x->getOperator() == OO_PlusEqual;
    return step ? named(x->getArg(0)) : nullptr;
  }
  return nullptr;
}

const VarDecl* single_variable(const Stmt* init) {
  const auto* declared = dyn_cast_or_null<DeclStmt>(init);
  return declared && declared->isSingleDecl() ? dyn_cast<VarDecl>(declared->getSingleDecl())
                                              : nullptr;
}

// The counter of a for: declared or assigned in its first part.
const ValueDecl* counter(const ForStmt& s) {
  if (const VarDecl* declared = single_variable(s.getInit())) return declared;
  const auto* assigned = dyn_cast_or_null<BinaryOperator>(s.getInit());
  if (assigned && assigned->getOpcode() == BO_Assign) return named(assigned->getLHS());
  // for (; i < n; ++i)
  return s.getInit() ? nullptr : moved(s.getInc());
}

std::string member_call_name(const Expr* e) {
  const auto* call = dyn_cast_or_null<CXXMemberCallExpr>(e ? e->IgnoreImplicit() : nullptr);
  const CXXMethodDecl* method = call ? call->getMethodDecl() : nullptr;
  return method && method->getIdentifier() ? method->getName().str() : "";
}

// The container in `c.begin()`, or in `std::begin(c)`.
const Expr* begun(const Expr* e) {
  while (e) {
    const Expr* inner = e->IgnoreParenImpCasts();
    if (const auto* x = dyn_cast<FullExpr>(inner)) inner = x->getSubExpr();
    if (const auto* x = dyn_cast<MaterializeTemporaryExpr>(inner)) inner = x->getSubExpr();
    if (const auto* x = dyn_cast<CXXConstructExpr>(inner); x && x->getNumArgs() >= 1)
      inner = x->getArg(0);
    if (inner == e) break;
    e = inner;
  }
  const std::string name = member_call_name(e);
  if (name == "begin" || name == "cbegin" || name == "rbegin")
    return cast<CXXMemberCallExpr>(e)->getImplicitObjectArgument();
  const auto* call = dyn_cast_or_null<CallExpr>(e);
  const FunctionDecl* callee = call ? call->getDirectCallee() : nullptr;
  const bool free = callee && callee->getIdentifier() && is_in_std(*callee) &&
                    call->getNumArgs() == 1 &&
                    (callee->getName() == "begin" || callee->getName() == "cbegin");
  return free ? call->getArg(0) : nullptr;
}

}  // namespace

ir::Block FunctionLowering::loop_body(const Stmt* body, const Expr* increment) {
  const bool outer = std::exchange(in_switch_, false);
  ir::Block block = block_of([&] {
    sequence({body});
    if (increment) effect(increment);
  });
  in_switch_ = outer;
  return block;
}

void FunctionLowering::range_loop(const CXXForRangeStmt& s) {
  if (s.getInit()) statement(s.getInit());
  ir::Loop loop;
  loop.form = ir::Loop::Form::Each;
  loop.at = unit_.files.location(SourceRange(s.getForLoc(), s.getRParenLoc()));
  loop.iterable = value(s.getRangeInit());
  const VarDecl* variable = s.getLoopVariable();
  if (const auto* parts = dyn_cast<DecompositionDecl>(variable)) {
    for (const BindingDecl* binding : parts->bindings()) {
      loop.targets.push_back({binding->getNameAsString(), {}});
      know(loop.targets.back(), binding->getType());
    }
  } else {
    loop.targets.push_back(variable_place(*variable));
  }
  loop.body = loop_body(s.getBody(), nullptr);
  push({std::move(loop)});
}

void FunctionLowering::for_loop(const ForStmt& s) {
  if (iterator_loop(s) || counted_loop(s)) return;
  if (s.getInit()) statement(s.getInit());
  while_loop(s.getCond(), s.getConditionVariable(), s.getBody(), s.getInc(),
             SourceRange(s.getForLoc(), s.getRParenLoc()));
}

bool FunctionLowering::counted_loop(const ForStmt& s) {
  const ValueDecl* count = counter(s);
  if (!count || moved(s.getInc()) != count || s.getConditionVariable()) return false;
  const auto* test = dyn_cast_or_null<BinaryOperator>(s.getCond() ? strip(s.getCond()) : nullptr);
  if (!test || !(test->isRelationalOp() || test->getOpcode() == BO_NE)) return false;
  const bool left = named(test->getLHS()) == count;
  if (!left && named(test->getRHS()) != count) return false;
  ir::Loop loop;
  loop.form = ir::Loop::Form::Counted;
  loop.at = unit_.files.location(SourceRange(s.getForLoc(), s.getRParenLoc()));
  loop.iterable = value(left ? test->getRHS() : test->getLHS());
  loop.targets = {variable_place(*count)};
  loop.body = loop_body(s.getBody(), nullptr);
  push({std::move(loop)});
  return true;
}

// for (auto it = c.begin(); it != c.end(); ++it): each element of c, *it being it.
bool FunctionLowering::iterator_loop(const ForStmt& s) {
  const VarDecl* iterator = nullptr;
  if (const auto* declared = dyn_cast_or_null<DeclStmt>(s.getInit())) {
    if (!declared->decls().empty()) iterator = dyn_cast<VarDecl>(*declared->decl_begin());
  }
  if (!iterator || moved(s.getInc()) != iterator) return false;
  const Expr* container = begun(iterator->getInit());
  if (!container) return false;
  ir::Loop loop;
  loop.form = ir::Loop::Form::Each;
  loop.at = unit_.files.location(SourceRange(s.getForLoc(), s.getRParenLoc()));
  loop.iterable = value(container);
  loop.targets = {{iterator->getNameAsString(), {}}};
  loop.body = loop_body(s.getBody(), nullptr);
  push({std::move(loop)});
  return true;
}

void FunctionLowering::while_loop(const Expr* condition, const VarDecl* condition_variable,
                                  const Stmt* body, const Expr* increment, SourceRange header) {
  ir::Loop loop;
  loop.form = ir::Loop::Form::While;
  loop.at = unit_.files.location(header);
  const Expr* inner = condition ? strip(condition) : nullptr;
  const auto* constant = dyn_cast_or_null<CXXBoolLiteralExpr>(inner);
  const auto* number = dyn_cast_or_null<IntegerLiteral>(inner);
  const bool forever =
      !inner || (constant && constant->getValue()) || (number && number->getValue() != 0);
  if (!forever) {
    loop.head = block_of([&] {
      if (condition_variable) variable(*condition_variable);
      loop.condition = value(condition);
    });
  }
  loop.body = loop_body(body, increment);
  push({std::move(loop)});
}

}  // namespace forerun::cpp
