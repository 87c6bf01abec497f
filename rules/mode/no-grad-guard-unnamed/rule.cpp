#include "rules/rule.h"

#include <fmt/format.h>

#include "rules/declarations.h"
#include "rules/exact_text.h"

namespace forerun::rules {
namespace {

bool is_guard(const std::string& callee) {
  return callee == "no_grad" || callee == "enable_grad" || callee == "inference_mode" ||
         callee == "autocast";
}

// A guard works from its construction to its end: a temporary ends with its statement, and in
// Python one that is never entered does nothing at all.
void declarations(const ir::Program& program, Findings& found) {
  const bool cpp = program.language == ir::Language::Cpp;
  each_operation(program, [&](const Site& site) {
    const ir::Op& op = *site.op;
    if (op.kind != ir::Kind::Call || op.receiver || !op.results.empty() || !is_guard(op.callee))
      return;
    const auto spelling = op.details.find("spelling");
    if (!cpp && (spelling == op.details.end() || !spelling->second.starts_with("torch"))) return;
    auto draft = found.at(
        op.at, cpp ? fmt::format("the {} guard has no name and ends with this statement", op.callee)
                   : fmt::format("{}() is made and never entered: it has no effect", op.callee));
    draft.help(
        cpp ? "give the guard a name: it then lasts to the end of the block"
            : fmt::format("write 'with torch.{}():' around the code it is meant for", op.callee));
    if (!cpp || spelling == op.details.end()) return;
    if (const auto place = place_in(op, spelling->second + "()", 2))
      draft.fix("give the guard a name", *place, " no_grad_guard");
  });
}

}  // namespace

extern const Rule no_grad_guard_unnamed;
constinit const Rule no_grad_guard_unnamed{Level::Error, nullptr, kinds(ir::Kind::Call), false,
                                           declarations};

}  // namespace forerun::rules
