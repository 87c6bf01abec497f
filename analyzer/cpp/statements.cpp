#include <functional>
#include <utility>

#include <fmt/format.h>

#include "analyzer/cpp/function_lowering.h"
#include "analyzer/cpp/types.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSwitch.h"

namespace forerun::cpp {

using namespace clang;

namespace {

constexpr int kStatementDepth = 1000;

bool is_check_name(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases("assert", "TORCH_CHECK", "TORCH_INTERNAL_ASSERT", "TORCH_INTERNAL_ASSERT_DEBUG_ONLY",
             "AT_ASSERT", true)
      .Cases("AT_ASSERTM", "AT_CHECK", "TORCH_CHECK_EQ", "TORCH_CHECK_NE", "TORCH_CHECK_LT",
             "TORCH_CHECK_LE", true)
      .Cases("TORCH_CHECK_GT", "TORCH_CHECK_GE", "TORCH_CHECK_VALUE", "TORCH_CHECK_INDEX",
             "TORCH_CHECK_TYPE", true)
      .Cases("CHECK", "DCHECK", "CHECK_EQ", "CHECK_NE", "CHECK_LT", "CHECK_LE", "CHECK_GT",
             "CHECK_GE", true)
      .Default(false);
}

bool calls_something(const Stmt* statement) {
  if (!statement) return false;
  if (isa<CallExpr>(statement) && !isa<CXXOperatorCallExpr>(statement)) return true;
  for (const Stmt* child : statement->children()) {
    if (calls_something(child)) return true;
  }
  return false;
}

// The first macro argument in a statement that the user wrote, outermost.
const Expr* macro_argument(const Stmt* statement, const SourceFiles& files) {
  if (!statement) return nullptr;
  const SourceManager& sources = files.sources();
  const auto written = [&](SourceLocation at) {
    return sources.isMacroArgExpansion(at) &&
           files.is_user_file(sources.getFileID(sources.getSpellingLoc(at)));
  };
  if (const auto* e = dyn_cast<Expr>(statement)) {
    if (written(e->getBeginLoc()) && written(e->getEndLoc())) return e;
  }
  for (const Stmt* child : statement->children()) {
    if (const Expr* found = macro_argument(child, files)) return found;
  }
  return nullptr;
}

// A guard class of the user's own around the thread's autocast state; LibTorch has none.
bool is_autocast_guard(const CXXRecordDecl& record) {
  const std::string name = record.getNameAsString();
  const std::string lower = llvm::StringRef(name).lower();
  return lower.find("autocast") != std::string::npos && record.hasDefinition() &&
         record.hasUserDeclaredDestructor();
}

std::optional<ir::Scope::Form> guard_form(const CXXRecordDecl* record, bool own) {
  if (!record) return std::nullopt;
  if (!own) return lexicon::guard(qualified_name(*record));
  if (derives_from(record, "c10::NoGradGuard")) return ir::Scope::Form::NoGrad;
  if (derives_from(record, "c10::InferenceMode")) return ir::Scope::Form::InferenceMode;
  return is_autocast_guard(*record) ? std::optional(ir::Scope::Form::Autocast) : std::nullopt;
}

}  // namespace

ir::Block FunctionLowering::block_of(const std::function<void()>& fill) {
  ir::Block block;
  ir::Block* outer = block_;
  block_ = &block;
  fill();
  block_ = outer;
  return block;
}

void FunctionLowering::parameters(const FunctionDecl& declaration) {
  for (const ParmVarDecl* parameter : declaration.parameters()) {
    function_.parameters.push_back(parameter->getIdentifier() ? parameter->getName().str() : "_");
    if (parameter->getIdentifier()) know({parameter->getName().str(), {}}, parameter->getType());
  }
}

void FunctionLowering::constructor_initializers(const CXXConstructorDecl& declaration) {
  for (const CXXCtorInitializer* initializer : declaration.inits()) {
    const Expr* init = initializer->getInit();
    if (!init) continue;
    const SourceRange at =
        initializer->isWritten() ? initializer->getSourceRange() : init->getSourceRange();
    if (initializer->isAnyMemberInitializer()) {
      const FieldDecl* field = initializer->getAnyMember();
      if (field->getNameAsString().empty()) continue;
      initialize({"self", {field->getNameAsString()}}, init, field->getType(),
                 at.isValid() ? at : field->getSourceRange());
      continue;
    }
    if (!initializer->isWritten()) continue;
    const CXXRecordDecl* base = own_class(init->getType());
    if (initializer->isBaseInitializer() && (!base || !unit_.files.is_user(*base))) continue;
    ir::Op op = start(ir::Kind::Call, "__init__");
    op.receiver = ir::Place{"self", {}};
    if (base) op.details["class"] = class_name(*base);
    if (const auto* made = dyn_cast<CXXConstructExpr>(init->IgnoreImplicit())) {
      op.arguments = arguments({made->getArgs(), made->getNumArgs()}, nullptr);
    }
    if (op.arguments.empty() && initializer->isBaseInitializer()) continue;
    emit(std::move(op), init, Sink::discard());
  }
}

void FunctionLowering::initialize(const ir::Place& place, const Expr* init, QualType type,
                                  SourceRange at) {
  know(place, type);
  const Expr* inner = strip(init);
  if (!inner || is_nothing(inner)) return;
  if (const auto* made = dyn_cast<CXXConstructExpr>(inner)) {
    const auto given = written_arguments({made->getArgs(), made->getNumArgs()});
    if (given.empty()) return default_value(place, type, at);
    if (is_module_holder(made->getConstructor()->getParent()) && is_nothing(given.front()) &&
        given.size() == 1)
      return;
  }
  if (isa<ImplicitValueInitExpr>(inner)) return;
  lower(init, Sink::named({place}, at));
}

void FunctionLowering::body(const Stmt* body) {
  if (!body) return;
  if (const auto* attempted = dyn_cast<CXXTryStmt>(body)) return attempt(*attempted);
  if (const auto* coroutine = dyn_cast<CoroutineBodyStmt>(body)) {
    unit_.note(body->getBeginLoc(), "a coroutine is read as a plain function");
    return this->body(coroutine->getBody());
  }
  if (const auto* block = dyn_cast<CompoundStmt>(body)) return compound(*block);
  statement(body);
}

void FunctionLowering::compound(const CompoundStmt& block) {
  const llvm::SmallVector<const Stmt*, 16> parts(block.body_begin(), block.body_end());
  sequence(parts);
}

void FunctionLowering::sequence(llvm::ArrayRef<const Stmt*> statements) {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (guard_scope(statements[i], statements.drop_front(i + 1))) return;
    statement(statements[i]);
  }
}

// A guard object lives to the end of its block: what follows is its scope.
bool FunctionLowering::guard_scope(const Stmt* statement, llvm::ArrayRef<const Stmt*> rest) {
  const auto* declared = dyn_cast<DeclStmt>(statement);
  const auto* variable =
      declared && declared->isSingleDecl() ? dyn_cast<VarDecl>(declared->getSingleDecl()) : nullptr;
  if (!variable || variable->getType()->isReferenceType()) return false;
  QualType type = variable->getType();
  const CXXRecordDecl* record = own_class(type);
  if (record && (is_smart_pointer(record) || is_optional(record))) record = object_class(type);
  const auto form = guard_form(record, record && unit_.files.is_user(*record));
  if (!form) return false;
  const Expr* init = variable->getInit();
  // An empty optional or pointer to a guard guards nothing yet.
  if (init && is_nothing(init)) return false;
  ir::Scope scope;
  scope.form = *form;
  scope.callee = std::string(ir::name(*form));
  scope.at = unit_.files.location(variable->getSourceRange());
  // Not strip(): a guard is made of its argument, and would be looked through.
  const Expr* inner = init ? init->IgnoreUnlessSpelledInSource() : nullptr;
  if (const auto* cast = dyn_cast_or_null<CXXFunctionalCastExpr>(inner))
    inner = cast->getSubExpr()->IgnoreImplicit();
  if (const auto* made =
          dyn_cast_or_null<CXXConstructExpr>(init ? init->IgnoreImplicit() : nullptr))
    inner = made;
  if (const auto* made = dyn_cast_or_null<CXXConstructExpr>(inner)) {
    scope.arguments = arguments({made->getArgs(), made->getNumArgs()}, nullptr);
  } else if (const auto* call = dyn_cast_or_null<CallExpr>(inner)) {
    scope.arguments = arguments({call->getArgs(), call->getNumArgs()}, nullptr);
  }
  scope.body = block_of([&] { sequence(rest); });
  push({std::move(scope)});
  return true;
}

void FunctionLowering::statement(const Stmt* s) {
  if (!s) return;
  if (depth_ > kStatementDepth) {
    unit_.note(s->getBeginLoc(), fmt::format("statements nested more than {} deep are not followed",
                                             kStatementDepth));
    return;
  }
  struct Deeper {
    int& depth;
    explicit Deeper(int& d) : depth(d) { ++depth; }
    ~Deeper() { --depth; }
  } deeper(depth_);
  if (is_check_macro(s)) return checked_macro(s);
  if (const auto* e = dyn_cast<Expr>(s)) return effect(e);
  if (const auto* x = dyn_cast<CompoundStmt>(s)) return compound(*x);
  if (const auto* x = dyn_cast<DeclStmt>(s)) return declaration(*x);
  if (const auto* x = dyn_cast<IfStmt>(s)) return branch(*x);
  if (const auto* x = dyn_cast<CXXForRangeStmt>(s)) return range_loop(*x);
  if (const auto* x = dyn_cast<ForStmt>(s)) return for_loop(*x);
  if (const auto* x = dyn_cast<WhileStmt>(s)) {
    return while_loop(x->getCond(), x->getConditionVariable(), x->getBody(), nullptr,
                      SourceRange(x->getWhileLoc(), x->getRParenLoc()));
  }
  if (const auto* x = dyn_cast<DoStmt>(s)) {
    return while_loop(x->getCond(), nullptr, x->getBody(), nullptr,
                      SourceRange(x->getDoLoc(), x->getDoLoc()));
  }
  if (const auto* x = dyn_cast<SwitchStmt>(s)) return switch_chain(*x);
  if (const auto* x = dyn_cast<ReturnStmt>(s))
    return return_values(x->getRetValue(), s->getSourceRange(), ir::Jump::Form::Return);
  if (const auto* x = dyn_cast<CoreturnStmt>(s))
    return return_values(x->getOperand(), s->getSourceRange(), ir::Jump::Form::Return);
  if (isa<BreakStmt>(s) && in_switch_) return;
  if (isa<BreakStmt>(s))
    return push({ir::Jump{ir::Jump::Form::Break, {}, unit_.files.location(s->getSourceRange())}});
  if (isa<ContinueStmt>(s))
    return push(
        {ir::Jump{ir::Jump::Form::Continue, {}, unit_.files.location(s->getSourceRange())}});
  if (const auto* x = dyn_cast<CXXTryStmt>(s)) return attempt(*x);
  if (const auto* x = dyn_cast<AttributedStmt>(s)) return statement(x->getSubStmt());
  if (const auto* x = dyn_cast<LabelStmt>(s)) return statement(x->getSubStmt());
  if (const auto* x = dyn_cast<SwitchCase>(s)) return statement(x->getSubStmt());
  if (isa<GotoStmt, IndirectGotoStmt>(s))
    return unit_.note(s->getBeginLoc(), "goto is not followed");
  if (isa<AsmStmt>(s)) return unit_.note(s->getBeginLoc(), "assembly is not followed");
  if (isa<NullStmt>(s)) return;
  // OpenMP, SEH and the like: what they hold.
  for (const Stmt* child : s->children()) statement(child);
}

bool FunctionLowering::is_check_macro(const Stmt* s) {
  const SourceLocation at = s->getBeginLoc();
  if (!at.isMacroID()) return false;
  const SourceManager& sources = unit_.files.sources();
  const SourceLocation expansion = sources.getExpansionLoc(at);
  llvm::SmallString<32> buffer;
  return is_check_name(Lexer::getSpelling(expansion, buffer, sources, unit_.files.language()));
}

// Asserts leave no trace but for what their condition calls.
void FunctionLowering::checked_macro(const Stmt* s) {
  const Expr* condition = macro_argument(s, unit_.files);
  if (condition && calls_something(condition)) effect(condition);
}

void FunctionLowering::declaration(const DeclStmt& s) {
  for (const Decl* declared : s.decls()) {
    if (const auto* parts = dyn_cast<DecompositionDecl>(declared)) {
      decomposition(*parts);
    } else if (const auto* named = dyn_cast<VarDecl>(declared)) {
      variable(*named);
    } else if (const auto* record = dyn_cast<CXXRecordDecl>(declared);
               record && record->isThisDeclarationADefinition()) {
      unit_.local_classes.push_back(record);
    }
  }
}

void FunctionLowering::variable(const VarDecl& variable) {
  const ir::Place place = variable_place(variable);
  const Expr* init = variable.getInit();
  if (!init) return;
  const Expr* inner = strip(init);
  if (const auto* closure = dyn_cast_or_null<LambdaExpr>(inner)) {
    functions_[&variable] = place.root;
    lambda(*closure, Sink::named({place}, variable.getSourceRange()));
    return;
  }
  if (const auto* made = dyn_cast_or_null<CXXConstructExpr>(inner)) {
    const auto given = written_arguments({made->getArgs(), made->getNumArgs()});
    if (given.empty()) return default_value(place, made->getType(), variable.getSourceRange());
  }
  if (const auto* empty = dyn_cast_or_null<InitListExpr>(inner);
      empty && empty->getNumInits() == 0) {
    return default_value(place, variable.getType(), variable.getSourceRange());
  }
  const Sink sink = Sink::named({place}, variable.getSourceRange());
  if (!untyped_construct(variable.getType(), init, sink)) lower(init, sink);
}

// `Adam optimizer(model->parameters(), lr);` in a template: Clang keeps the arguments as they are
// written until it knows their types, but the class is known.
bool FunctionLowering::untyped_construct(QualType type, const Expr* init, const Sink& sink) {
  const CXXRecordDecl* record =
      type->isPointerType() || type->isReferenceType() ? nullptr : own_class(type);
  if (!record || is_smart_pointer(record) || is_optional(record)) return false;
  const ir::Role role = role_of(type);
  if (role == ir::Role::Container || role == ir::Role::Tensor || role == ir::Role::Text ||
      role == ir::Role::Number)
    return false;
  llvm::ArrayRef<Expr*> given;
  if (const auto* x = dyn_cast<ParenListExpr>(init)) {
    given = const_cast<ParenListExpr*>(x)->exprs();
  } else if (const auto* x = dyn_cast<InitListExpr>(init);
             x && x->isTypeDependent() && x->getNumInits() > 0) {
    given = llvm::ArrayRef(const_cast<InitListExpr*>(x)->getInits(), x->getNumInits());
  }
  if (given.empty()) return false;
  if (given.size() == 1 && own_class(given.front()->getType()) == record) return false;
  construct_class(*record, nullptr, {given.data(), given.size()}, init, sink);
  return true;
}

// `std::vector<T> xs;` makes a list, `Net net;` a net; `torch::Tensor x;` and plain data nothing.
void FunctionLowering::default_value(const ir::Place& place, QualType type, SourceRange at) {
  const CXXRecordDecl* record = own_class(type);
  if (!record || type->isPointerType() || is_smart_pointer(record) || is_optional(record)) return;
  ir::Op op;
  if (is_sequence(record) || is_map(record)) {
    op = start(ir::Kind::Pack, is_map(record) ? "dict" : "list");
  } else {
    const bool own = unit_.files.is_user(*record);
    const std::string qualified = qualified_name(*record);
    const auto meaning = own ? std::nullopt : lexicon::construct(qualified);
    if (meaning && meaning->result != ir::Role::Tensor && meaning->result != ir::Role::Container) {
      op = start(ir::Kind::Construct);
      lexicon::apply(*meaning, op);
      op.kind = ir::Kind::Construct;
    } else if (own && record->hasDefinition() && !record->hasTrivialDefaultConstructor()) {
      op = start(ir::Kind::Construct, class_name(*record));
      op.details["class"] = op.callee;
    } else {
      return;
    }
  }
  op.results = {place};
  op.result_role = role_of(type);
  op.at = unit_.files.location(at);
  push({std::move(op)});
}

void FunctionLowering::decomposition(const DecompositionDecl& variable) {
  std::vector<ir::Place> names;
  for (const BindingDecl* binding : variable.bindings()) {
    names.push_back({binding->getNameAsString(), {}});
    know(names.back(), binding->getType());
  }
  if (variable.getInit()) lower(variable.getInit(), Sink::named(names, variable.getSourceRange()));
}

void FunctionLowering::branch(const IfStmt& s) {
  if (s.getInit()) statement(s.getInit());
  if (s.isConstexpr()) {
    if (const auto taken = s.getNondiscardedCase(unit_.ast)) {
      if (*taken) statement(*taken);
      return;
    }
  }
  if (s.isConsteval()) return statement(s.getElse());
  ir::Branch result;
  result.at = unit_.files.location(SourceRange(s.getIfLoc(), s.getRParenLoc()));
  if (const VarDecl* declared = s.getConditionVariable()) variable(*declared);
  result.condition = s.getCond() ? value(s.getCond()) : ir::Operand(ir::Opaque{});
  result.then_body = block_of([&] { sequence({s.getThen()}); });
  if (s.getElse()) result.else_body = block_of([&] { sequence({s.getElse()}); });
  push({std::move(result)});
}

void FunctionLowering::return_values(const Expr* returned, SourceRange at, ir::Jump::Form form) {
  ir::Jump jump;
  jump.form = form;
  jump.at = unit_.files.location(at);
  const Expr* inner = returned ? strip(returned) : nullptr;
  llvm::SmallVector<const Expr*, 4> parts;
  if (const auto* made = dyn_cast_or_null<CXXConstructExpr>(inner)) {
    if (is_tuple(made->getConstructor()->getParent()))
      parts.append(made->arg_begin(), made->arg_end());
  } else if (const auto* call = dyn_cast_or_null<CallExpr>(inner)) {
    const FunctionDecl* callee = call->getDirectCallee();
    const bool tuple = callee && callee->getIdentifier() && is_in_std(*callee) &&
                       (callee->getName() == "make_tuple" || callee->getName() == "make_pair");
    if (tuple) parts.append(call->arg_begin(), call->arg_end());
  }
  if (parts.empty() && returned &&
      !(returned->getType().isNull() == false && returned->getType()->isVoidType())) {
    parts.push_back(returned);
  } else if (parts.empty() && returned) {
    effect(returned);
  }
  for (const Expr* part : parts) jump.values.push_back(value(part));
  push({std::move(jump)});
}

void FunctionLowering::attempt(const CXXTryStmt& s) {
  ir::Try result;
  result.at = unit_.files.location(SourceRange(s.getTryLoc(), s.getTryLoc()));
  result.body = block_of([&] { compound(*s.getTryBlock()); });
  for (unsigned i = 0; i < s.getNumHandlers(); ++i) {
    result.handlers.push_back(block_of([&] { statement(s.getHandler(i)->getHandlerBlock()); }));
  }
  push({std::move(result)});
}

namespace {

struct Section {
  std::vector<const Expr*> cases;  // empty with is_default
  bool is_default = false;
  std::vector<const Stmt*> body;
};

void add_case(std::vector<Section>& sections, const SwitchCase* label) {
  if (sections.empty() || !sections.back().body.empty()) sections.emplace_back();
  if (const auto* one = dyn_cast<CaseStmt>(label)) {
    sections.back().cases.push_back(one->getLHS());
  } else {
    sections.back().is_default = true;
  }
  const Stmt* inner = label->getSubStmt();
  if (const auto* next = dyn_cast_or_null<SwitchCase>(inner)) return add_case(sections, next);
  if (inner) sections.back().body.push_back(inner);
}

std::vector<Section> sections_of(const Stmt* body) {
  std::vector<Section> sections;
  const auto* block = dyn_cast<CompoundStmt>(body);
  if (!block) return sections;
  for (const Stmt* part : block->body()) {
    if (const auto* label = dyn_cast<SwitchCase>(part)) {
      add_case(sections, label);
    } else if (!sections.empty()) {
      sections.back().body.push_back(part);
    }
  }
  return sections;
}

bool leaves(const Stmt* s) {
  if (const auto* block = dyn_cast<CompoundStmt>(s))
    return !block->body_empty() && leaves(block->body_back());
  if (const auto* e = dyn_cast<Expr>(s)) return isa<CXXThrowExpr>(strip(e));
  return isa<BreakStmt, ReturnStmt, ContinueStmt, CoreturnStmt, GotoStmt>(s);
}

void flatten(const Stmt* s, std::vector<const Stmt*>& into) {
  const auto* block = dyn_cast<CompoundStmt>(s);
  if (!block) {
    into.push_back(s);
    return;
  }
  for (const Stmt* part : block->body()) flatten(part, into);
}

// What runs from a section's label on: through the sections below until one leaves. The break
// itself is the end.
std::vector<const Stmt*> run_from(const std::vector<Section>& sections, std::size_t first) {
  std::vector<const Stmt*> run;
  for (std::size_t i = first; i < sections.size(); ++i) {
    for (const Stmt* part : sections[i].body) flatten(part, run);
    if (!run.empty() && leaves(run.back())) break;
  }
  if (!run.empty() && isa<BreakStmt>(run.back())) run.pop_back();
  return run;
}

bool breaks_inside(const Stmt* s) {
  if (!s || isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, SwitchStmt, Expr>(s)) return false;
  if (isa<BreakStmt>(s)) return true;
  for (const Stmt* child : s->children()) {
    if (breaks_inside(child)) return true;
  }
  return false;
}

}  // namespace

void FunctionLowering::switch_chain(const SwitchStmt& s) {
  if (s.getInit()) statement(s.getInit());
  if (const VarDecl* declared = s.getConditionVariable()) variable(*declared);
  const ir::Operand subject = value(s.getCond());
  const std::vector<Section> sections = sections_of(s.getBody());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (!sections[i].is_default) order.push_back(i);
  }
  const auto run = [&](std::size_t i) {
    const auto statements = run_from(sections, i);
    for (const Stmt* part : statements) {
      if (breaks_inside(part))
        unit_.note(part->getBeginLoc(), "a break inside a switch case is read as its end");
    }
    const bool outer = std::exchange(in_switch_, true);
    sequence(statements);
    in_switch_ = outer;
  };
  const std::function<void(std::size_t)> chain = [&](std::size_t next) {
    if (next == order.size()) {
      for (std::size_t i = 0; i < sections.size(); ++i) {
        if (sections[i].is_default) run(i);
      }
      return;
    }
    const Section& section = sections[order[next]];
    ir::Branch result;
    result.at = unit_.files.location(section.cases.front()->getSourceRange());
    ir::Operand condition = ir::Opaque{};
    for (std::size_t i = 0; i < section.cases.size(); ++i) {
      ir::Op test = start(ir::Kind::Arith, "eq");
      test.arguments = {{{}, subject}, {{}, value(section.cases[i])}};
      const ir::Operand one = emit(std::move(test), section.cases[i], Sink::operand());
      if (i == 0) {
        condition = one;
        continue;
      }
      ir::Op either = start(ir::Kind::Arith, "or");
      either.arguments = {{{}, condition}, {{}, one}};
      condition = emit(std::move(either), section.cases[i], Sink::operand());
    }
    result.condition = condition;
    result.then_body = block_of([&] { run(order[next]); });
    result.else_body = block_of([&] { chain(next + 1); });
    push({std::move(result)});
  };
  chain(0);
}

}  // namespace forerun::cpp
