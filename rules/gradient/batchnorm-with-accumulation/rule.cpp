#include <algorithm>
#include <set>

#include "analyzer/ir/walk.h"
#include "rules/accumulation.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

bool is_batch_norm(const ir::Op& op) {
  return op.kind == Kind::Construct &&
         (op.callee.starts_with("BatchNorm") || op.callee.starts_with("LazyBatchNorm") ||
          op.callee == "SyncBatchNorm");
}

// The module's parts, as far as they are seen: what it was made of, holds and
// has as members.
NodeId batch_norm_in(const Analysis& of, ValueId module) {
  std::set<ValueId> seen;
  std::vector<ValueId> open = {module};
  while (!open.empty()) {
    const ValueId at = open.back();
    open.pop_back();
    if (!seen.insert(at).second) continue;
    const flow::Value& value = of.value(at);
    const ir::Op* maker = of.maker(at);
    if (maker != nullptr && is_batch_norm(*maker)) return value.def;
    for (const Values* parts : {&value.inputs, &value.contents, &value.holds}) {
      for (const ValueId part : *parts) {
        if (of.is_module(part) || of.value(part).role == ir::Role::Container ||
            of.value(part).role == ir::Role::Unknown)
          open.push_back(part);
      }
    }
  }
  return flow::kNone;
}

// A class of the program that makes batch norms, itself or through the classes
// it makes.
bool class_has_batch_norm(const ir::Program& program, const std::string& name,
                          std::set<std::string>& seen);

bool block_has_batch_norm(const ir::Program& program, const ir::Block& block,
                          std::set<std::string>& seen) {
  for (const ir::Node& node : block) {
    const auto* op = std::get_if<ir::Op>(&node.value);
    bool found =
        op != nullptr &&
        (is_batch_norm(*op) || (!op->receiver && class_has_batch_norm(program, op->callee, seen)));
    ir::each_block(node, [&](const ir::Block& inner) {
      found = found || block_has_batch_norm(program, inner, seen);
    });
    if (found) return true;
  }
  return false;
}

bool class_has_batch_norm(const ir::Program& program, const std::string& name,
                          std::set<std::string>& seen) {
  if (!seen.insert(name).second) return false;
  for (const ir::Function& function : program.functions) {
    if (function.owner == name && function.name.ends_with(".__init__") &&
        block_has_batch_norm(program, function.body, seen))
      return true;
  }
  return false;
}

bool has_batch_norm(const Analysis& of, ValueId module) {
  std::set<std::string> seen;
  const ir::Class* type = of.value(module).type;
  if (type != nullptr && class_has_batch_norm(*of.graph().program, type->name, seen)) return true;
  return batch_norm_in(of, module) != flow::kNone;
}

// Batch norm sees one micro-batch at a time: its statistics are not those of
// the batch the step is for.
void check(const Analysis& of, Findings& found) {
  std::set<NodeId> reported;
  for (const AccumulationWindow& window : accumulation_windows(of)) {
    for (const ValueId one : of.graph_of(window.backward)) {
      const ir::Op* maker = of.maker(one);
      if (maker == nullptr || maker->kind != Kind::Forward) continue;
      const NodeId forward = of.value(one).def;
      if (!of.graph().in(window.micro, forward) || of.in_evaluation(forward)) continue;
      const Values& modules = of.node(forward).receiver;
      const bool normalises = std::any_of(modules.begin(), modules.end(), [&](ValueId module) {
        return has_batch_norm(of, module);
      });
      if (!normalises || !reported.insert(of.seen_from(window.micro, forward)).second) continue;
      found
          .at(of.seen_from(window.micro, forward),
              "batch norm takes its statistics from each micro-batch, not from "
              "the batch that the "
              "step is for")
          .note(window.step, "one step for several micro-batches")
          .help(
              "use GroupNorm or LayerNorm, or freeze the statistics, when "
              "micro-batches are small");
      break;
    }
  }
}

}  // namespace

extern const Rule batchnorm_with_accumulation;
constinit const Rule batchnorm_with_accumulation{Level::Note, check, kinds(Kind::Backward)};

}  // namespace forerun::rules
