#include "rules/rule.h"

#include <set>

#include "rules/declarations.h"
#include "rules/exact_text.h"

namespace forerun::rules {
namespace {

using ir::Kind;

bool is_torch_load(const ir::Op& op) {
  const auto spelling = op.details.find("spelling");
  return op.kind == Kind::Load && spelling != op.details.end() && spelling->second == "torch.load";
}

// What a program writes itself it may read back.
std::set<std::string> own_files(const ir::Program& program) {
  std::set<std::string> files;
  each_operation(program, [&](const Site& site) {
    if (site.op->kind != Kind::Save) return;
    if (const ir::Argument* file = argument(*site.op, "f", 1))
      files.insert(ir::to_string(file->value));
  });
  return files;
}

// What PyTorch 2.6 and later do by themselves, said: where the arguments are names and literals.
void offer(Findings::Draft& draft, const ir::Op& op) {
  std::string given;
  for (const ir::Argument& one : op.arguments) {
    const std::string value = ir::to_string(one.value);
    if (value.starts_with('%') || value == "?") return;
    given += (given.empty() ? "" : ", ") + (one.name.empty() ? "" : one.name + "=") + value;
  }
  const std::string was = "load(" + given + ")";
  const auto place = tail_of(op, was.size());
  if (place) draft.fix("load weights only", *place, "load(" + given + ", weights_only=True)", was);
}

// torch.load that runs what the file says: a checkpoint from elsewhere is a program from elsewhere.
void declarations(const ir::Program& program, Findings& found) {
  if (program.language != ir::Language::Python) return;
  const std::set<std::string> own = own_files(program);
  each_operation(program, [&](const Site& site) {
    const ir::Op& op = *site.op;
    if (!is_torch_load(op)) return;
    for (const ir::Argument& one : op.arguments) {
      if (one.name == "**") return;
    }
    const ir::Argument* file = argument(op, "f", 0);
    if (file != nullptr && !ir::to_string(file->value).starts_with('%') &&
        own.contains(ir::to_string(file->value)))
      return;
    const ir::Argument* flag = argument(op, "weights_only", 99);
    const std::string* given = flag == nullptr ? nullptr : literal_of(flag->value);
    if (flag != nullptr && (given == nullptr || *given != "false")) return;
    if (flag == nullptr) {
      auto draft = found.at(
          op.at, "torch.load without weights_only runs code from the file before PyTorch 2.6");
      draft.help("pass weights_only=True").level(Level::Note);
      offer(draft, op);
      return;
    }
    found.at(op.at, "torch.load with weights_only=False runs code that the file brings along")
        .help("load with weights_only=True and allow the classes you need by add_safe_globals")
        .level(is_test(program) ? Level::Note : Level::Warning);
  });
}

}  // namespace

extern const Rule load_untrusted;
constinit const Rule load_untrusted{Level::Warning, nullptr, kinds(Kind::Load), false,
                                    declarations};

}  // namespace forerun::rules
