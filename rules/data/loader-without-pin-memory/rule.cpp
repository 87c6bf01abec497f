#include "rules/declarations.h"
#include "rules/loaders.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using ir::Kind;

bool names_cuda(const ir::Program& program) {
  bool found = false;
  each_operation(program, [&](const Site& site) {
    found |= site.op->kind == Kind::Move && site.op->callee == "cuda";
    for (const ir::Argument& one : site.op->arguments) {
      const std::string* literal = literal_of(one.value);
      found |= literal != nullptr && literal->find("cuda") != std::string::npos;
    }
  });
  return found;
}

bool is_pinned(const Analysis& of, LoopId loop) {
  for (const NodeId move : of.all(Kind::Move)) {
    if (of.graph().in(loop, move) && of.node(move).op->callee == "pin_memory") return true;
  }
  return false;
}

// A part of the batch goes to a device in every round.
NodeId moved(const Analysis& of, LoopId loop) {
  for (const NodeId move : of.all(Kind::Move)) {
    const flow::Node& node = of.node(move);
    if (of.innermost_loop(move) != loop) continue;
    const bool to_device =
        node.op->callee == "cuda" || (node.op->callee == "to" && !node.op->arguments.empty() &&
                                      mentions(ir::to_string(node.op->arguments.front().value),
                                               {"cuda", "device", "gpu", "rank"}));
    if (!to_device) continue;
    for (const ValueId one : node.receiver) {
      if (of.value(one).form == flow::Value::Form::Element &&
          of.value(one).def == of.loop(loop).head)
        return move;
    }
  }
  return flow::kNone;
}

// A copy from pageable memory goes through a buffer of the driver and makes the host wait.
void check(const Analysis& of, Findings& found) {
  const ir::Program& program = *of.graph().program;
  if (program.language != ir::Language::Python || !names_cuda(program)) return;
  for (const LoaderUse& use : loader_uses(of)) {
    const ir::Op& loader = *of.node(use.made).op;
    if (has_open_arguments(loader) || !is_training_loop(of, use.loop)) continue;
    if (is_given(loader, "pin_memory", 7) && !is_literal_false(loader, "pin_memory", 7)) continue;
    const NodeId move = moved(of, use.loop);
    if (move == flow::kNone || is_pinned(of, use.loop)) continue;
    found.at(use.made, "batches are copied to the device from pageable memory")
        .note(move, "the copy is here, in every step")
        .help("pass pin_memory=True, and non_blocking=True to the copy");
  }
}

}  // namespace

extern const Rule loader_without_pin_memory;
constinit const Rule loader_without_pin_memory{
    Level::Note, check, kinds(Kind::Backward, Kind::Step, Kind::ScalerStep), true};

}  // namespace forerun::rules
