#include "rules/rule.h"

#include <set>

#include <fmt/format.h>

#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using ir::Kind;

const ir::Place* method_itself(const ir::Argument& argument) {
  const ir::Place* place = place_of(argument.value);
  return place != nullptr && !place->steps.empty() && place->steps.back() == "state_dict" ? place
                                                                                          : nullptr;
}

bool takes_a_state(const ir::Op& op) {
  return op.kind == Kind::Save || op.kind == Kind::Pack || op.kind == Kind::Store ||
         op.callee == "load_state_dict" || op.callee == "deepcopy" ||
         (op.kind == Kind::Call && mentions(op.callee, {"save", "checkpoint"}));
}

// self.state_dict = checkpoint["model"]: a member of that name, no method.
std::set<std::string> assigned(const ir::Program& program) {
  std::set<std::string> found;
  each_operation(program, [&](const Site& site) {
    for (const ir::Place& result : site.op->results) {
      if (!result.steps.empty() && result.steps.back() == "state_dict")
        found.insert(to_string(result));
    }
  });
  return found;
}

// state_dict without its parentheses is the method: what is saved is the whole pickled object, or
// nothing a load can use.
void declarations(const ir::Program& program, Findings& found) {
  if (program.language != ir::Language::Python) return;
  const std::set<std::string> members = assigned(program);
  each_operation(program, [&](const Site& site) {
    if (!takes_a_state(*site.op)) return;
    for (const ir::Argument& one : site.op->arguments) {
      const ir::Place* place = method_itself(one);
      if (place == nullptr || members.contains(to_string(*place))) continue;
      found
          .at(site.op->at,
              fmt::format("{} is the method, not the state it returns", to_string(*place)))
          .help(fmt::format("call it: {}()", to_string(*place)));
    }
  });
}

}  // namespace

extern const Rule save_without_call;
constinit const Rule save_without_call{Level::Error, nullptr, 0, false, declarations};

}  // namespace forerun::rules
