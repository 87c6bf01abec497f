#include "analyzer/link/globals.h"

#include <algorithm>

#include "analyzer/ir/walk.h"

namespace forerun::link {
namespace {

// What a function's statements read and bind, by the roots of places.
class Uses {
 public:
  explicit Uses(const ir::Function& function) { enter(function); }
  std::set<std::string> read, bound;

 private:
  void enter(const ir::Function& function) {
    for (const std::string& parameter : function.parameters)
      bound.insert(parameter.substr(std::min(parameter.find_first_not_of('*'), parameter.size())));
    block(function.body);
  }
  void block(const ir::Block& statements) {
    for (const ir::Node& node : statements) {
      std::visit([this](const auto& value) { see(value); }, node.value);
      if (!std::holds_alternative<ir::Define>(node.value))
        ir::each_block(node, [this](const ir::Block& inner) { block(inner); });
    }
  }

  void see(const ir::Op& op) {
    for (const ir::Place& result : op.results) bind(result);
    if (op.receiver) take(*op.receiver);
    take(op.arguments);
  }
  void see(const ir::Loop& loop) {
    for (const ir::Place& target : loop.targets) bind(target);
    if (loop.iterable) take(*loop.iterable);
    if (loop.condition) take(*loop.condition);
  }
  void see(const ir::Branch& branch) { take(branch.condition); }
  void see(const ir::Scope& scope) {
    take(scope.arguments);
    if (scope.target) bind(*scope.target);
  }
  void see(const ir::Try&) {}
  void see(const ir::Jump& jump) {
    for (const ir::Operand& value : jump.values) take(value);
  }
  void see(const ir::Define& define) {
    bound.insert(define.function->name);
    enter(*define.function);
  }

  // x = ... binds x; x.y = ... reads it.
  void bind(const ir::Place& place) { (place.steps.empty() ? bound : read).insert(place.root); }
  void take(const ir::Operand& operand) {
    if (const auto* place = std::get_if<ir::Place>(&operand)) read.insert(place->root);
  }
  void take(const std::vector<ir::Argument>& arguments) {
    for (const ir::Argument& argument : arguments) take(argument.value);
  }
};

}  // namespace

Globals::Globals(const ir::Program& program) {
  for (const ir::Function& function : program.functions)
    if (function.name == "<module>") names_ = Uses(function).bound;
}

bool Globals::are_read_by(const ir::Function& function) const {
  const Uses uses(function);
  return std::any_of(uses.read.begin(), uses.read.end(), [&](const std::string& name) {
    return !name.empty() && name.front() != '%' && name != "self" && names_.contains(name) &&
           !uses.bound.contains(name);
  });
}

}  // namespace forerun::link
