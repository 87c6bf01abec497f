#include "rules/rule.h"

#include <set>

#include <fmt/format.h>

#include "rules/declarations.h"
#include "rules/exact_text.h"

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

// torch.save(model.state_dict, …) as it is mostly written.
void offer(Findings::Draft& draft, const ir::Op& op, const ir::Place& method) {
  constexpr std::string_view call = "torch.save(";
  if (op.kind != Kind::Save) return;
  const std::string was = fmt::format("{}{},", call, to_string(method));
  if (const auto place = head_of(op, was.size()))
    draft.fix("call it", *place, fmt::format("{}{}(),", call, to_string(method)), was);
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
      auto draft = found.at(site.op->at, fmt::format("{} is the method, not the state it returns",
                                                     to_string(*place)));
      draft.help(fmt::format("call it: {}()", to_string(*place)));
      if (&one == &site.op->arguments.front() && one.name.empty()) offer(draft, *site.op, *place);
    }
  });
}

}  // namespace

extern const Rule save_without_call;
constinit const Rule save_without_call{Level::Error, nullptr, 0, false, declarations};

}  // namespace forerun::rules
