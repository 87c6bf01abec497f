#include "rules/registration.h"

#include <set>

namespace forerun::rules {
namespace {

using ir::Kind;

std::string member_of_self(const ir::Operand& operand) {
  const ir::Place* place = place_of(operand);
  return place != nullptr && place->root == "self" && place->steps.size() == 1
             ? place->steps.front()
             : std::string();
}

bool is_register(const std::string& callee) {
  return callee == "register_module" || callee == "register_parameter" ||
         callee == "register_buffer" || callee == "replace_module";
}

bool needs_gradient(const ir::Op& op) {
  const ir::Argument* flag = op.kind == Kind::RequiresGrad ? argument(op, "requires_grad", 0)
                                                           : argument(op, "requires_grad", 99);
  const std::string* literal = flag == nullptr ? nullptr : literal_of(flag->value);
  const bool makes_tensor = op.kind == Kind::Tensor || op.kind == Kind::RequiresGrad;
  return makes_tensor && literal != nullptr && *literal == "true";
}

void registration(const ir::Op& op, int order, Registered& found) {
  Registration one{&op, "", "", order};
  const std::string* key = op.arguments.empty() ? nullptr : literal_of(op.arguments[0].value);
  if (key == nullptr || key->size() < 2) {
    found.dynamic = true;
    return;
  }
  one.key = key->substr(1, key->size() - 2);
  if (op.arguments.size() > 1) one.member = member_of_self(op.arguments[1].value);
  found.registrations.push_back(std::move(one));
}

}  // namespace

Registered registered_in(const ir::Program& program, const ir::Class& type) {
  Registered found;
  int order = 0;
  for (const ir::Function* method : methods_of(program, type.name)) {
    if (method->name == type.name + ".forward") continue;
    each_operation(*method, [&](const Site& site) {
      const ir::Op& op = *site.op;
      ++order;
      if (op.kind == Kind::Call && is_register(op.callee)) return registration(op, order, found);
      const std::string member =
          op.results.size() == 1 ? member_of_self(op.results.front()) : std::string();
      const bool module = makes_stateful_module(program, op);
      const bool parameter = op.kind == Kind::Construct && op.callee == "Parameter";
      if (!member.empty() && (module || parameter || needs_gradient(op)))
        found.made.push_back({&op, member, op.details.contains("registered"), !module, order});
      for (const ir::Argument& one : op.arguments) {
        const std::string given = member_of_self(one.value);
        if (!given.empty()) found.given_away.push_back(given);
      }
    });
  }
  return found;
}

}  // namespace forerun::rules
