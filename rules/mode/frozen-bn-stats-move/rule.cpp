#include "rules/rule.h"

#include <algorithm>
#include <set>

#include "rules/modes.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// The modules whose parameters this node freezes: module.requires_grad_(False), or p of
// module.parameters() in a loop, all of them.
Values frozen_by(const Analysis& of, NodeId node) {
  const flow::Node& one = of.node(node);
  if (flow::literal_argument(*one.op, "requires_grad", 0) != "false") return {};
  Values modules;
  for (const ValueId target : one.receiver) {
    if (of.is_module(target)) flow::add(modules, target);
    const flow::Value& value = of.value(target);
    if (value.form != flow::Value::Form::Element) continue;
    const flow::LoopId loop = of.innermost_loop(node);
    if (loop == flow::kNone || !of.guards(node, loop).empty()) continue;
    for (const ValueId list : value.inputs) {
      const ir::Op* maker = of.maker(list);
      if (maker != nullptr && maker->kind == Kind::Parameters)
        flow::add(modules, of.node(of.value(list).def).receiver);
    }
  }
  return modules;
}

bool is_thawed(const Analysis& of, const Values& modules) {
  for (const NodeId node : of.all(Kind::RequiresGrad)) {
    if (flow::literal_argument(*of.node(node).op, "requires_grad", 0) == "false") continue;
    for (const ValueId target : of.node(node).receiver) {
      if (flow::intersect(of.sources({target}), modules)) return true;
    }
  }
  return false;
}

// Somebody puts it, or some of its layers, in evaluation mode.
bool handles_mode(const Analysis& of, const Values& modules) {
  for (const NodeId node : of.all(Kind::EvalMode)) {
    const Values& target = of.node(node).receiver;
    if (is_within(of, modules, target) || is_within(of, target, modules) ||
        flow::intersect(of.sources(target), modules))
      return true;
  }
  return false;
}

// The node trains: its module is frozen, or contains what is.
NodeId trained_through(const Analysis& of, const Values& modules) {
  for (const NodeId forward : of.all(Kind::Forward)) {
    const Values& called = of.node(forward).receiver;
    if (!is_within(of, modules, called) && !is_within(of, called, modules)) continue;
    const flow::Node& node = of.node(forward);
    if (node.op->results.empty() || of.innermost_loop(forward) == flow::kNone) continue;
    for (const Values& made : node.results) {
      for (const ValueId one : made) {
        if (of.backwarded(one)) return forward;
      }
    }
  }
  return flow::kNone;
}

// requires_grad=False stops gradients only: in training mode batch norm still normalises by the
// batch and moves its running statistics away from those that the frozen weights were trained with.
void check(const Analysis& of, Findings& found) {
  if (!has_batch_norm(*of.graph().program)) return;
  std::set<NodeId> reported;
  for (const NodeId freezing : of.all(Kind::RequiresGrad)) {
    const Values modules = frozen_by(of, freezing);
    if (modules.empty() || is_thawed(of, modules)) continue;
    const NodeId forward = trained_through(of, modules);
    if (forward == flow::kNone || handles_mode(of, modules)) continue;
    NodeId where = forward;
    for (const NodeId mode : of.all(Kind::TrainMode)) {
      const bool later =
          of.path(
                mode, [&](NodeId at) { return at == forward; }, [](NodeId) { return false; })
              .has_value();
      if (later && sets_training(of, mode, modules)) where = mode;
    }
    if (!reported.insert(where).second) continue;
    found
        .at(where,
            "batch norm of frozen layers is in training mode: its running statistics still move")
        .note(freezing, "the parameters are frozen here")
        .help("call eval() on the frozen module after train()");
  }
}

}  // namespace

extern const Rule frozen_bn_stats_move;
constinit const Rule frozen_bn_stats_move{Level::Warning, check, kinds(Kind::RequiresGrad)};

}  // namespace forerun::rules
