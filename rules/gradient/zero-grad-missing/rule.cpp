#include "rules/rule.h"

#include <algorithm>

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::Values;
using ir::Kind;

struct Optimizer {
  Values self;
  Analysis::Parameters parameters;
};

// Names and constructions are objects of their own; what comes out of a container or a call may be
// any of them.
bool may_be_any(const Analysis& of, const Values& values) {
  return std::any_of(values.begin(), values.end(), [&](flow::ValueId id) {
    const flow::Value& value = of.value(id);
    if (value.form == flow::Value::Form::Name) return false;
    if (value.form == flow::Value::Form::Member) return value.step.starts_with("[");
    const ir::Op* maker = of.maker(id);
    return maker == nullptr || maker->kind != Kind::Construct;
  });
}

// A member of an object from outside may be the very optimizer that was handed over next to it.
bool mixed_origins(const Analysis& of, const Values& a, const Values& b) {
  auto is_member = [&](const Values& values) {
    return std::any_of(values.begin(), values.end(), [&](flow::ValueId id) {
      return of.value(id).form == flow::Value::Form::Member;
    });
  };
  return is_member(a) != is_member(b);
}

bool is_optimizer(const Analysis& of, const Values& values) {
  const std::vector<NodeId> steps = of.all({Kind::Step, Kind::ScalerStep});
  return std::any_of(steps.begin(), steps.end(),
                     [&](NodeId step) { return flow::intersect(of.stepped(step), values); }) ||
         std::any_of(values.begin(), values.end(),
                     [&](flow::ValueId id) { return of.value(id).role == ir::Role::Optimizer; });
}

bool clears(const Analysis& of, NodeId id, const Optimizer& optimizer) {
  const flow::Node& node = of.node(id);
  if (node.is(Kind::GradWrite)) {
    const std::string& how = node.op->callee;
    if (how != "none" && how != "zero_" && how != "assign" && how != "fill_" && how != "copy_")
      return false;
    return of.overlap(of.parameters_of(node.receiver), optimizer.parameters);
  }
  if (node.is(Kind::ZeroGrad)) {
    Values target = node.receiver;
    for (const Values& argument : node.arguments) flow::add(target, argument);
    if (flow::intersect(target, optimizer.self) || may_be_any(of, target) ||
        may_be_any(of, optimizer.self))
      return true;
    const Analysis::Parameters cleared = of.parameters_of(target);
    // What is never stepped is a model, whatever else is known of it.
    if (!is_optimizer(of, target)) return of.overlap(cleared, optimizer.parameters);
    return of.covers(cleared, optimizer.parameters) || mixed_origins(of, target, optimizer.self);
  }
  return false;
}

// Calls that are made for something else than gradients, by their names.
bool has_another_purpose(const std::string& callee) {
  for (const char* word :
       {"update", "ema", "log", "watch", "save", "record", "eval", "test", "valid", "plot", "show",
        "visual", "average", "all_reduce", "broadcast"}) {
    if (callee.find(word) != std::string::npos) return true;
  }
  return false;
}

// Code that is not seen: whoever gets the optimizer may clear; whoever only gets the model may when
// it is called for its effect.
bool may_clear(const Analysis& of, NodeId id, const Optimizer& optimizer) {
  if (of.may_touch(id, optimizer.self)) return true;
  const ir::Op* op = of.node(id).op;
  return op != nullptr && op->results.empty() && !has_another_purpose(op->callee) &&
         of.may_touch(id, optimizer.parameters.owners);
}

// The innermost loop that runs both backward and this step, round after round.
LoopId training_loop(const Analysis& of, NodeId step, const Optimizer& optimizer,
                     NodeId& backward) {
  const std::vector<NodeId> backwards = of.all(Kind::Backward);
  for (const LoopId loop : of.loops_around(step)) {
    for (const NodeId one : backwards) {
      if (!of.graph().in(loop, one)) continue;
      if (!of.overlap(of.gradients_of(one), optimizer.parameters)) continue;
      if (!of.comes_round(loop, step, one)) continue;
      backward = one;
      return loop;
    }
  }
  return flow::kNone;
}

// An optimizer made in the loop over tensors made in the loop starts without gradients.
bool fresh_each_round(const Analysis& of, LoopId loop, const Optimizer& optimizer) {
  auto made_inside = [&](flow::ValueId id) { return of.graph().loop_in(of.value(id).loop, loop); };
  if (!std::all_of(optimizer.self.begin(), optimizer.self.end(), made_inside)) return false;
  const Values& owners = optimizer.parameters.owners;
  return !optimizer.parameters.known || std::all_of(owners.begin(), owners.end(), made_inside);
}

// Clearing that leaves this loop's rounds alone: in a loop beside it, or after it.
bool elsewhere(const Analysis& of, NodeId clearing, LoopId loop) {
  if (of.graph().in(loop, clearing)) return false;
  const LoopId around = of.innermost_loop(clearing);
  if (around == flow::kNone) return clearing > of.loop(loop).head;
  return !of.graph().loop_in(loop, around);
}

// The gradients this step uses still hold those of every round before it: nothing between one
// round's backward and the next clears them. Clearing outside the loop is another mistake, with its
// own rule.
void check(const Analysis& of, Findings& found) {
  for (const NodeId step : of.all({Kind::Step, Kind::ScalerStep})) {
    Optimizer optimizer{of.stepped(step), of.parameters_of(of.stepped(step))};
    if (optimizer.self.empty()) continue;
    NodeId backward = flow::kNone;
    const LoopId loop = training_loop(of, step, optimizer, backward);
    if (loop == flow::kNone || fresh_each_round(of, loop, optimizer)) continue;
    if (!optimizer.parameters.known)
      flow::add(optimizer.parameters.owners, of.gradients_of(backward).owners);
    const std::vector<NodeId> clearing = of.where([&](const flow::Node& node) {
      const auto id = static_cast<NodeId>(&node - of.graph().nodes.data());
      if (of.graph().in(loop, id) && may_clear(of, id, optimizer)) return true;
      return !elsewhere(of, id, loop) && clears(of, id, optimizer);
    });
    if (!clearing.empty()) continue;
    found.at(step, "gradients of this step are added to those of the steps before")
        .note(backward, "backward() adds to them here")
        .note(of.loop(loop).at, "the loop starts again here with the old gradients")
        .help("call zero_grad() once per step, before backward()");
  }
}

}  // namespace

extern const Rule zero_grad_missing;
constinit const Rule zero_grad_missing{Level::Error, check, kinds(Kind::Step, Kind::ScalerStep),
                                       true};

}  // namespace forerun::rules
