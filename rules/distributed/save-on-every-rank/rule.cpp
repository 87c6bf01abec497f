#include "rules/rule.h"

#include <algorithm>

#include "rules/declarations.h"
#include "rules/process_group.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

const std::initializer_list<const char*> kRanks = {
    "rank",        "main_process", "is_main",     "master", "primary",   "is_root",
    "global_zero", "is_chief",     "should_save", "gpu_id", "worker_id", "proc_id"};

// Something about the process's number is in the value.
bool asks_for_rank(const Analysis& of, const ir::Operand& operand, const Values& values) {
  if (mentions(ir::to_string(operand), kRanks)) return true;
  for (const ValueId one : of.sources(values)) {
    const flow::Value& value = of.value(one);
    if (mentions(value.step, kRanks)) return true;
    const ir::Op* maker = of.maker(one);
    if (maker == nullptr) continue;
    if (mentions(maker->callee, kRanks)) return true;
    for (const ir::Argument& given : maker->arguments) {
      if (mentions(ir::to_string(given.value), kRanks)) return true;
    }
    for (const ir::Place& result : maker->results) {
      if (mentions(to_string(result), kRanks)) return true;
    }
  }
  return false;
}

bool is_guarded(const Analysis& of, NodeId save) {
  for (const Analysis::Guard& guard : of.guards(save)) {
    const flow::Node& branch = of.node(guard.branch);
    if (branch.condition != nullptr && asks_for_rank(of, *branch.condition, branch.receiver))
      return true;
  }
  // The caller may ask before it calls: an entry point that only saves is a helper.
  return false;
}

bool writes_its_own_file(const Analysis& of, NodeId save) {
  const flow::Node& node = of.node(save);
  for (std::size_t i = 0; i < node.op->arguments.size(); ++i) {
    if (i > 0 || node.op->arguments[i].name == "f") {
      if (asks_for_rank(of, node.op->arguments[i].value, node.arguments[i])) return true;
    }
  }
  return false;
}

bool is_torch_save(const ir::Op& op) {
  const auto spelling = op.details.find("spelling");
  return op.kind == Kind::Save && spelling != op.details.end() &&
         (spelling->second == "torch.save" || spelling->second == "torch::save");
}

// Trains in this entry point: who calls it is not asked for the rank.
bool trains_here(const Analysis& of) {
  return !of.all({Kind::Step, Kind::ScalerStep, Kind::Backward}).empty();
}

// All processes write one file at the same time: it may end torn, and is written once for each.
void check(const Analysis& of, Findings& found) {
  if (!trains_here(of) || !several_processes(of, /*groups=*/true)) return;
  for (const NodeId save : of.all(Kind::Save)) {
    if (!is_torch_save(*of.node(save).op) || is_guarded(of, save) || writes_its_own_file(of, save))
      continue;
    found.at(save, "every process writes this file")
        .help(
            "save under 'if rank == 0:', and let the others wait at a barrier before they load it");
  }
}

}  // namespace

extern const Rule save_on_every_rank;
constinit const Rule save_on_every_rank{Level::Warning, check, kinds(Kind::Save), true};

}  // namespace forerun::rules
