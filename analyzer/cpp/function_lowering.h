// Lowers one function body (and the lambdas in it) to IR. docs/ir.md is what it implements.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/cpp/source_files.h"
#include "analyzer/ir/ir.h"
#include "analyzer/lexicon/lexicon.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

namespace forerun::cpp {

// What all functions of a unit share.
struct UnitContext {
  clang::ASTContext& ast;
  const SourceFiles& files;
  std::vector<std::string>& notes;
  std::set<std::string> noted;
  std::vector<const clang::CXXRecordDecl*>
      local_classes;  // met in function bodies, to be lowered after them

  // Once for each text and place.
  void note(clang::SourceLocation at, const std::string& what);
};

// What an expression's value is for: nothing, an operand, or the names it is given.
struct Sink {
  bool wanted = true;
  std::vector<ir::Place> names;
  clang::SourceRange statement;  // of the assignment or declaration that gives the names

  static Sink operand() { return {}; }
  static Sink discard() { return {false, {}, {}}; }
  static Sink named(std::vector<ir::Place> names, clang::SourceRange statement) {
    return {true, std::move(names), statement};
  }
};

// `c[k]`, `c.at(k)`, `x.index({i, j})`: container null when the expression is none of these.
struct Element {
  const clang::Expr* container = nullptr;
  std::vector<const clang::Expr*> keys;
};
Element element_of(const clang::Expr* stripped);

// The p of p.grad(), p.mutable_grad(), p.grad().data(), or null.
const clang::Expr* gradient_owner(const clang::Expr* expression);

class FunctionLowering {
 public:
  FunctionLowering(UnitContext& unit, ir::Function& function)
      : unit_(unit), function_(function), block_(&function.body) {}

  void parameters(const clang::FunctionDecl& declaration);
  void constructor_initializers(const clang::CXXConstructorDecl& declaration);
  // A member's default initialiser, or a variable at namespace scope.
  void initialize(const ir::Place& place, const clang::Expr* value, clang::QualType type,
                  clang::SourceRange at);
  void body(const clang::Stmt* statement);

 private:
  // --- statements.cpp
  void statement(const clang::Stmt* statement);
  void compound(const clang::CompoundStmt& block);
  void sequence(llvm::ArrayRef<const clang::Stmt*> statements);
  bool guard_scope(const clang::Stmt* statement, llvm::ArrayRef<const clang::Stmt*> rest);
  void declaration(const clang::DeclStmt& statement);
  void variable(const clang::VarDecl& variable);
  void decomposition(const clang::DecompositionDecl& variable);
  void default_value(const ir::Place& place, clang::QualType type, clang::SourceRange at);
  bool untyped_construct(clang::QualType type, const clang::Expr* init, const Sink& sink);
  void branch(const clang::IfStmt& statement);
  void switch_chain(const clang::SwitchStmt& statement);
  void return_values(const clang::Expr* value, clang::SourceRange at, ir::Jump::Form form);
  void attempt(const clang::CXXTryStmt& statement);
  void checked_macro(const clang::Stmt* condition_holder);
  bool is_check_macro(const clang::Stmt* statement);
  ir::Block block_of(const std::function<void()>& fill);

  // --- loops.cpp
  ir::Block loop_body(const clang::Stmt* body, const clang::Expr* increment);
  void range_loop(const clang::CXXForRangeStmt& statement);
  void for_loop(const clang::ForStmt& statement);
  bool counted_loop(const clang::ForStmt& statement);
  bool iterator_loop(const clang::ForStmt& statement);
  void while_loop(const clang::Expr* condition, const clang::VarDecl* condition_variable,
                  const clang::Stmt* body, const clang::Expr* increment, clang::SourceRange header);

  // --- expressions.cpp
  ir::Operand value(const clang::Expr* expression) { return lower(expression, Sink::operand()); }
  void effect(const clang::Expr* expression) { lower(expression, Sink::discard()); }
  ir::Operand lower(const clang::Expr* expression, const Sink& sink);
  ir::Operand dispatch(const clang::Expr* expression, const Sink& sink);
  ir::Operand binary(const clang::BinaryOperator& expression, const Sink& sink);
  ir::Operand unary(const clang::UnaryOperator& expression, const Sink& sink);
  ir::Operand arithmetic(const std::string& name, llvm::ArrayRef<const clang::Expr*> operands,
                         const clang::Expr* whole, const Sink& sink);
  ir::Operand compound_assignment(const std::string& name, const clang::Expr* target,
                                  const clang::Expr* value, const clang::Expr* whole,
                                  const Sink& sink);
  void store(const Element& element, const ir::Operand& stored, const clang::Expr* whole);
  ir::Operand increment(const clang::Expr* target, bool up, const clang::Expr* whole,
                        const Sink& sink);
  ir::Operand assignment(const clang::Expr* target, const clang::Expr* value,
                         const clang::Expr* whole, const Sink& sink);
  ir::Operand lambda(const clang::LambdaExpr& expression, const Sink& sink);
  ir::Operand list(const clang::Expr* whole, llvm::ArrayRef<clang::Expr*> elements,
                   const Sink& sink);
  ir::Operand element(const clang::Expr* container, llvm::ArrayRef<const clang::Expr*> keys,
                      const clang::Expr* whole, const Sink& sink);
  ir::Operand recovery(const clang::Expr* whole, const Sink& sink);
  ir::Operand named_value(const clang::DeclRefExpr& reference, const Sink& sink);
  ir::Operand member(const clang::Expr* base, const std::string& name, const clang::Expr* whole,
                     const Sink& sink);
  std::optional<ir::Literal> literal(const clang::Expr* expression);

  // --- places.cpp
  // The expression as something to write to; operations it needs are emitted. Empty when it is
  // none.
  std::optional<ir::Place> place(const clang::Expr* expression);
  // An accessor that Python has as an attribute: opt.param_groups(), item.value(), x.data().
  std::optional<ir::Place> attribute_place(const clang::Expr* expression);
  std::optional<ir::Place> element_place(const clang::Expr* expression);
  ir::Place member_place(const ir::Operand& base, const std::string& name);
  ir::Place variable_place(const clang::ValueDecl& declaration);
  void know(const ir::Place& place, clang::QualType type);

  // --- calls.cpp
  ir::Operand call(const clang::CallExpr& expression, const Sink& sink);
  ir::Operand data_loader(const clang::CallExpr& e, const clang::FunctionDecl& callee,
                          const Sink& sink);
  ir::Operand free_call(const clang::CallExpr& call, const clang::FunctionDecl& callee,
                        const Sink& sink);
  ir::Operand method_call(const clang::Expr& whole, const clang::Expr* object,
                          const clang::CXXMethodDecl* method, const std::string& name,
                          llvm::ArrayRef<const clang::Expr*> arguments, const Sink& sink);
  ir::Operand operator_call(const clang::CXXOperatorCallExpr& call, const Sink& sink);
  ir::Operand called_value(const clang::Expr& whole, const clang::Expr* callee,
                           const clang::FunctionDecl* function,
                           llvm::ArrayRef<const clang::Expr*> arguments, const Sink& sink);
  ir::Operand dependent_call(const clang::CallExpr& call, const Sink& sink);
  ir::Operand stream_chain(const clang::Expr& whole, const Sink& sink);
  std::optional<ir::Operand> known_method(const clang::Expr& whole, const clang::Expr* object,
                                          const clang::CXXMethodDecl& method,
                                          const std::string& name,
                                          llvm::ArrayRef<const clang::Expr*> arguments,
                                          const Sink& sink);
  std::optional<ir::Operand> tensor_method(const clang::Expr& whole, const clang::Expr* object,
                                           const std::string& name,
                                           llvm::ArrayRef<const clang::Expr*> arguments,
                                           const Sink& sink);
  std::optional<ir::Operand> container_method(const clang::Expr& whole, const clang::Expr* object,
                                              const std::string& name,
                                              llvm::ArrayRef<const clang::Expr*> arguments,
                                              const Sink& sink);
  std::optional<ir::Operand> known_function(const clang::CallExpr& call,
                                            const clang::FunctionDecl& callee,
                                            const std::string& qualified, const Sink& sink);
  void template_detail(ir::Op& op, const clang::FunctionDecl* callee);

  // --- arguments.cpp
  std::vector<ir::Argument> arguments(llvm::ArrayRef<const clang::Expr*> given,
                                      const clang::FunctionDecl* callee);
  bool options_arguments(const clang::Expr* expression, std::vector<ir::Argument>& into);
  void options_construction(const clang::CXXConstructExpr& made, std::vector<ir::Argument>& into);
  bool options_function(const clang::CallExpr& call, std::vector<ir::Argument>& into);

  // --- constructs.cpp
  ir::Operand construct(const clang::CXXConstructExpr& expression, const Sink& sink);
  ir::Operand construct_class(const clang::CXXRecordDecl& record,
                              const clang::FunctionDecl* constructor,
                              llvm::ArrayRef<const clang::Expr*> given, const clang::Expr* whole,
                              const Sink& sink);

  // --- emitting
  ir::Operand emit(ir::Op op, const clang::Expr* whole, const Sink& sink);
  ir::Operand plain(ir::Operand operand, const clang::Expr* whole, const Sink& sink);
  void push(ir::Node node) { block_->push_back(std::move(node)); }
  ir::Op start(ir::Kind kind, std::string callee = {}) const;
  ir::Place temporary() { return {"%" + std::to_string(++temporaries_), {}}; }

  UnitContext& unit_;
  ir::Function& function_;
  ir::Block* block_;
  int temporaries_ = 0;
  int lambdas_ = 0;
  int depth_ = 0;
  bool in_switch_ = false;  // a break here ends a case, not a loop
  // Variables that hold a lambda are names of that function.
  std::map<const clang::ValueDecl*, std::string> functions_;
  // Values the AST names elsewhere: the common operand of `a ?: b`.
  std::map<const clang::Expr*, ir::Operand> opaque_;
};

// The expression without what leaves no trace in the IR: parentheses, casts, temporaries, copies
// and moves, single argument conversions, dereferences, smart pointers' accessors.
const clang::Expr* strip(const clang::Expr* expression);

// Arguments that were written; default arguments are not.
std::vector<const clang::Expr*> written_arguments(llvm::ArrayRef<const clang::Expr*> arguments);

// Whether a value is nothing: {}, std::nullopt, nullptr, torch::Tensor().
bool is_nothing(const clang::Expr* expression);

}  // namespace forerun::cpp
