#include "rules/rule.h"

#include "rules/declarations.h"

namespace forerun::rules {
namespace {

using ir::Kind;

bool uses_devices(const ir::Program& program) {
  bool found = false;
  each_operation(program, [&](const Site& site) {
    const ir::Op& op = *site.op;
    if (op.kind == Kind::Move) {
      found |= op.callee == "cuda" || (op.callee == "to" && !op.arguments.empty() &&
                                       mentions(ir::to_string(op.arguments.front().value),
                                                {"cuda", "device", "gpu", "rank"}));
    }
    found |= op.kind == Kind::Construct && op.callee == "DistributedDataParallel";
  });
  return found;
}

// Tensors go back to the device they were saved from: on a machine without it loading fails, with
// several processes all load onto the first device.
void declarations(const ir::Program& program, Findings& found) {
  if (program.language != ir::Language::Python || !uses_devices(program)) return;
  each_operation(program, [&](const Site& site) {
    const ir::Op& op = *site.op;
    const auto spelling = op.details.find("spelling");
    const bool torch_load =
        op.kind == Kind::Load && spelling != op.details.end() && spelling->second == "torch.load";
    if (!torch_load || argument(op, "map_location", 1) != nullptr) return;
    for (const ir::Argument& one : op.arguments) {
      if (one.name == "**") return;
    }
    found.at(op.at, "tensors are loaded onto the device they were saved from")
        .help("pass map_location: \"cpu\", or this process's device");
  });
}

}  // namespace

extern const Rule load_without_map_location;
constinit const Rule load_without_map_location{Level::Note, nullptr, kinds(Kind::Load), false,
                                               declarations};

}  // namespace forerun::rules
