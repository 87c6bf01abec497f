#include "analyzer/ir/verify.h"

#include <set>
#include <string>

#include <fmt/format.h>

namespace forerun::ir {
namespace {

class Verifier {
 public:
  std::vector<Error> problems;

  void function(const Function& function) {
    if (function.name.empty()) report(function.at, "a function without a name");
    scopes_.emplace_back();
    const int loops = std::exchange(loops_, 0);
    block(function.body);
    loops_ = loops;
    scopes_.pop_back();
  }

 private:
  void report(const Location& at, std::string message) {
    problems.push_back(error_at(at, std::move(message)));
  }

  bool is_made(const std::string& temporary) const {
    for (const auto& scope : scopes_) {
      if (scope.contains(temporary)) return true;
    }
    return false;
  }

  void read(const Operand& operand, const Location& at) {
    const auto* place = std::get_if<Place>(&operand);
    if (place == nullptr) return;
    if (place->root.empty()) report(at, "a place without a name");
    if (place->is_temporary() && !is_made(place->root))
      report(at, fmt::format("{} is used before it is made", place->root));
  }
  void read(const std::vector<Argument>& arguments, const Location& at) {
    for (const Argument& argument : arguments) read(argument.value, at);
  }

  void write(const Place& place, const Location& at) {
    if (place.root.empty()) report(at, "a place without a name");
    if (!place.is_temporary()) return;
    if (!place.steps.empty()) return read(place, at);
    if (!scopes_.back().insert(place.root).second)
      report(at, fmt::format("{} is made twice", place.root));
  }

  void block(const Block& block) {
    for (const Node& node : block) {
      std::visit([this](const auto& value) { visit(value); }, node.value);
    }
  }

  void visit(const Op& op) {
    if (op.receiver) read(*op.receiver, op.at);
    read(op.arguments, op.at);
    shape(op);
    for (const Place& place : op.results) write(place, op.at);
  }

  void shape(const Op& op) {
    const std::size_t count = op.arguments.size();
    if (op.kind == Kind::Assign && (count != 1 || op.results.size() != 1))
      report(op.at, "an assignment has one value and one result");
    if (op.kind == Kind::Store && (count != 2 || !op.receiver))
      report(op.at, "a store has a receiver, a key and a value");
    if (op.kind == Kind::Append && (count == 0 || !op.receiver))
      report(op.at, "an append has a receiver and something to append");
    if (op.kind == Kind::Index && !op.receiver) report(op.at, "an index has a receiver");
    if (op.kind == Kind::Call && op.callee.empty() && !op.receiver)
      report(op.at, "a call names what is called");
    if (op.kind == Kind::Arith && op.callee.empty()) report(op.at, "an arith names its operator");
  }

  void visit(const Loop& loop) {
    if (loop.form != Loop::Form::While && !loop.iterable)
      report(loop.at, "a loop over elements or to a bound names what");
    if (loop.form != Loop::Form::While && !loop.head.empty())
      report(loop.at, "only a while has a head");
    if (loop.iterable) read(*loop.iterable, loop.at);
    for (const Place& target : loop.targets) write(target, loop.at);
    ++loops_;
    block(loop.head);
    if (loop.condition) read(*loop.condition, loop.at);
    block(loop.body);
    --loops_;
    block(loop.otherwise);
  }

  void visit(const Branch& branch) {
    read(branch.condition, branch.at);
    block(branch.then_body);
    block(branch.else_body);
  }

  void visit(const Scope& scope) {
    read(scope.arguments, scope.at);
    if (scope.form == Scope::Form::Other && scope.callee.empty())
      report(scope.at, "a with scope names its guard");
    if (scope.target) write(*scope.target, scope.at);
    block(scope.body);
  }

  void visit(const Try& attempt) {
    block(attempt.body);
    for (const Block& handler : attempt.handlers) block(handler);
    block(attempt.otherwise);
    block(attempt.finally);
  }

  void visit(const Jump& jump) {
    const bool needs_loop = jump.form == Jump::Form::Break || jump.form == Jump::Form::Continue;
    if (needs_loop && loops_ == 0)
      report(jump.at, fmt::format("{} outside a loop", name(jump.form)));
    for (const Operand& value : jump.values) read(value, jump.at);
  }

  void visit(const Define& define) {
    if (define.function == nullptr) return report({}, "a definition without its function");
    function(*define.function);
  }

  std::vector<std::set<std::string>> scopes_;
  int loops_ = 0;
};

}  // namespace

std::vector<Error> verify(const Program& program) {
  Verifier verifier;
  for (const Function& function : program.functions) verifier.function(function);
  return std::move(verifier.problems);
}

}  // namespace forerun::ir
