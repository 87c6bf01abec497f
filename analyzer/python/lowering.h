// Statements and expressions of one file to the event IR, as docs/ir.md says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/ir/ir.h"
#include "analyzer/python/facts.h"
#include "analyzer/python/roles.h"

namespace forerun::python {

// What an expression became, and what is known of it.
struct Value {
  ir::Operand operand = ir::Opaque{};
  Knowledge known;
  bool landed = false;  // it already is in the places that were wanted
};

// Where the value of an expression should go.
struct Want {
  enum class Form { Temporary, Nothing, Places };
  Form form = Form::Temporary;
  std::vector<ir::Place> places;

  static Want nothing() { return {Form::Nothing, {}}; }
  static Want into(ir::Place place) { return {Form::Places, {std::move(place)}}; }
  static Want into(std::vector<ir::Place> places) { return {Form::Places, std::move(places)}; }
};

class Lowering {
 public:
  Lowering(Facts& facts, ir::Program& program)
      : facts_(facts), tree_(facts.tree), roles_(facts), program_(program) {}

  void run();

 private:
  // The function being lowered.
  struct Frame {
    ir::Function* function = nullptr;
    int scope = 0;
    int cls = -1;
    int temporaries = 0;
    int lambdas = 0;
    int loops = 0;  // around the statement
    unsigned stamp = 0;
    std::vector<Variable*> seen;  // variables of outer scopes and members it names
  };

  // --- functions (functions.cpp)
  void lower_function(Id definition, Id decorated);
  std::shared_ptr<ir::Function> function_body(Id definition, Id decorated,
                                              const FunctionInfo& info);
  void lower_class(Id definition);
  void class_body(Id definition, int cls);
  void record_class(int cls);
  void record_roles(ir::Function& function, const Frame& frame);
  // `name` where a name is given the lambda, else it is numbered.
  std::string lambda(Id node, std::string name = {});
  // The variable only ever is this lambda: its name is the function's.
  bool is_lambda(const Variable& variable) const;
  bool wrap_in_guards(Id decorated, std::vector<ir::Scope>& guards);

  // --- statements (statements.cpp, loops.cpp, scopes.cpp, match.cpp)
  void block(Id node);
  void statement(Id node);
  void statements_of(Id node);
  void expression_statement(Id node);
  void if_statement(Id node);
  void branches(Id node, Id alternative, int link);
  bool too_many(int links, Id at);
  void for_statement(Id node);
  void each_loop(Id left, Id right, Id at, ir::Loop& loop);
  bool counted_loop(Id left, Id right, ir::Loop& loop);
  Id without_progress(Id iterable);
  bool is_builtin_call(Id call, std::string_view name);
  void while_statement(Id node);
  void try_statement(Id node);
  void with_statement(Id node);
  void with_items(const std::vector<std::pair<Id, Id>>& items, std::size_t at, Id body, Id header);
  ir::Scope scope_of(Id value);
  void guard_of_variable(Id value, ir::Scope& made);
  void match_statement(Id node);
  void match_cases(const std::vector<Id>& cases, std::size_t at, const ir::Operand& subject);
  ir::Operand match_condition(Id clause, const ir::Operand& subject, bool& always);
  ir::Operand pattern_test(Id pattern, const ir::Operand& subject, bool& always);
  void return_statement(Id node);
  void raise_statement(Id node);
  void delete_statement(Id node);
  void print_statement(Id node);
  void deletion(Id node);

  // --- assignments (assignments.cpp)
  void assignment(Id node);
  void assign(Id target, Id value);
  void assign_operand(Id target, const ir::Operand& value, const Knowledge& known, Id at);
  void assign_place(Id target, Id value);
  void assign_attribute(Id target, Id value);
  void unpack(Id targets, Id value);
  bool assign_each(Id targets, Id value);
  void flat_targets(Id targets, std::vector<ir::Place>& places,
                    std::vector<std::pair<ir::Place, Id>>& later);
  ir::Place target_place(Id target);
  void store(Id target, const ir::Operand& value);
  void augmented(Id node);
  bool augmented_append(Id left, Id right, Id node);
  bool is_gradient(Id target);
  Id gradient_object(Id node);

  // --- expressions (expressions.cpp, members.cpp, operators.cpp, containers.cpp)
  Value expression(Id node, Want want = {});
  Value identifier(Id node);
  Value attribute(Id node, const Want& want);
  std::optional<Value> outside_value(Id node);
  std::optional<Value> member_operation(Id node, std::string_view name, const Value& base,
                                        const Want& want);
  Value member_place(Id node, std::string_view name, const Value& base);
  Value binary(Id node, const Want& want);
  Value boolean(Id node, const Want& want);
  Value comparison(Id node, const Want& want);
  Value unary(Id node, const Want& want);
  Value negation(Id node, const Want& want);
  Value conditional(Id node, const Want& want);
  Value subscript(Id node, const Want& want);
  Value slice(Id node);
  Value pack(Id node, std::string_view form, const Want& want);
  Value dictionary(Id node, const Want& want);
  Value comprehension(Id node, std::string_view form);
  void comprehension_clauses(Id node, const std::vector<Id>& clauses, std::size_t at,
                             const ir::Place& target);
  Value format_string(Id node, const Want& want);
  void format_operands(Id node, std::vector<ir::Argument>& operands);
  Value yield(Id node);
  std::string string_text(Id node);
  void string_pieces(Id node, std::string& text);
  std::vector<ir::Argument> subscripts(Id node);
  ir::Place place_of(Id node);
  void evaluate_calls(Id node);
  bool has_call(Id node) const;

  // --- calls (calls.cpp)
  Value call(Id node, const Want& want);
  Value call_outside(Id node, const std::string& qualified, const Want& want);
  Value call_builtin(Id node, std::string_view name, const Want& want);
  Value call_name(Id node, Id function, const Want& want);
  Value call_method(Id node, Id function, const Want& want);
  Value call_super(Id node, std::string_view name, const Want& want);
  Value call_value(Id node, const Value& called, const Want& want);
  Value call_known(Id node, ir::Op op, const lexicon::Meaning& meaning, const Want& want);
  Value construct_own(Id node, int cls, const Want& want);
  Value own_method(Id node, int method, const Value& receiver, const Want& want);
  std::optional<Value> change_of_element(Id node, Id object, std::string_view name,
                                         const Want& want);
  std::optional<Value> method_of_class(Id node, const ir::FunctionReference& named, Id object,
                                       std::string_view name, const Want& want);
  std::optional<Value> gradient_method(Id node, Id object, std::string_view name, const Want& want);
  std::optional<Value> special_method(Id node, Id object, std::string_view name, const Want& want);
  std::vector<ir::Argument> arguments(Id call);
  int argument_count(Id call) const;
  ir::Argument argument(Id node);
  bool is_submodule(const ir::Place& place);
  bool is_exit(const ir::Op& op) const { return op.callee == "exit"; }
  bool may_be_tensor(const ir::Operand& operand, const Knowledge& known) const;
  std::string describe(const Knowledge& known) const;

  // --- making things
  ir::Op op(ir::Kind kind, std::string_view callee, Id at);
  Value emit(ir::Op op, const Want& want, Knowledge known = {});
  ir::Place temporary();
  void push(ir::Node node) { block_->push_back(std::move(node)); }
  void jump(ir::Jump::Form form, std::vector<ir::Operand> values, Id at);
  // Lowers into `target` what `lower` makes.
  template <class Lower>
  void in(ir::Block& target, Lower lower) {
    ir::Block* outer = block_;
    block_ = &target;
    lower();
    block_ = outer;
  }
  void note_variable(Variable& variable);

  Facts& facts_;
  const Tree& tree_;
  Roles roles_;
  ir::Program& program_;
  ir::Block* block_ = nullptr;
  Frame frame_;
  unsigned stamps_ = 0;
  bool said_chain_ = false;
};

// A number as the IR prints it: digit separators gone, a missing zero put in.
std::string number_text(std::string_view written);

}  // namespace forerun::python
