#include "rules/registration.h"

#include <algorithm>
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

bool mentions_mode(const ir::Function& method) {
  bool found = false;
  each_operation(method, [&](const Site& site) {
    found |= mentions(site.op->callee, {"training", "dropout"});
    for (const ir::Argument& one : site.op->arguments)
      found |= mentions(ir::to_string(one.value), {"training"});
  });
  return found;
}

// AnyModule that holds none yet, or a module of the program that is seen to have no parameters, no
// buffers and one behaviour: coordinates added to an image, a loss with its constants.
bool has_nothing_to_pass_by(const ir::Program& program, const ir::Op& op) {
  if (op.callee == "AnyModule" && op.arguments.empty()) return true;
  const ir::Class* type = class_named(program, op.callee);
  if (type == nullptr || type->bases != std::vector<std::string>{"Module"}) return false;
  const bool is_loss = type->name.ends_with("Loss") || type->name.ends_with("Criterion");
  for (const auto& [place, role] : type->members) {
    const bool plain = role == ir::Role::Number || role == ir::Role::Text;
    if (!plain && (!is_loss || role == ir::Role::Module || role == ir::Role::Unknown)) return false;
  }
  const auto methods = methods_of(program, type->name);
  if (!is_loss && method_of(program, type->name, "forward") == nullptr) return false;
  return std::none_of(methods.begin(), methods.end(), [](const ir::Function* method) {
    bool registers = mentions_mode(*method);
    each_operation(*method, [&](const Site& site) { registers |= is_register(site.op->callee); });
    return registers;
  });
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
      const bool module =
          makes_stateful_module(program, op) && !has_nothing_to_pass_by(program, op);
      const bool parameter = op.kind == Kind::Construct && op.callee == "Parameter";
      const bool registered = op.details.contains("registered");
      if (!member.empty() && (module || parameter || registered || needs_gradient(op)))
        found.made.push_back({&op, member, registered, parameter || !module, order});
      for (const ir::Argument& one : op.arguments) {
        const std::string given = member_of_self(one.value);
        if (!given.empty()) found.given_away.push_back(given);
      }
    });
  }
  return found;
}

}  // namespace forerun::rules
