#include "rules/training.h"

#include <algorithm>

#include "rules/declarations.h"

namespace forerun::rules {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

namespace {

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

}  // namespace

Optimizer optimizer_of(const Analysis& of, NodeId step) {
  return {of.stepped(step), of.parameters_of(of.stepped(step))};
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

namespace {

// Calls that are made for something else than gradients, by their names.
bool has_another_purpose(const std::string& callee) {
  for (const char* word :
       {"update", "ema", "log", "watch", "save", "record", "eval", "test", "valid", "plot", "show",
        "visual", "average", "all_reduce", "broadcast"}) {
    if (callee.find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

bool may_clear(const Analysis& of, NodeId id, const Optimizer& optimizer) {
  if (of.may_touch(id, optimizer.self)) return true;
  const ir::Op* op = of.node(id).op;
  return op != nullptr && op->results.empty() && !has_another_purpose(op->callee) &&
         of.may_touch(id, optimizer.parameters.owners);
}

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

LoopId round_of_clearing(const Analysis& of, NodeId id) {
  for (const LoopId loop : of.loops_around(id)) {
    const Values through = of.sources(of.node(of.loop(loop).head).receiver);
    const bool over_parameters = std::any_of(through.begin(), through.end(), [&](ValueId one) {
      const ir::Op* maker = of.maker(one);
      return maker != nullptr && maker->kind == Kind::Parameters;
    });
    if (!of.node(id).is(Kind::GradWrite) || !over_parameters) return loop;
  }
  return flow::kNone;
}

bool surely_clears(const Analysis& of, NodeId id, const Optimizer& optimizer, NodeId backward) {
  const flow::Node& node = of.node(id);
  if (node.is(Kind::GradWrite)) {
    if (node.op->callee != "none" && node.op->callee != "zero_") return false;
    const Analysis::Parameters cleared = of.parameters_of(node.receiver);
    if (optimizer.parameters.known) return of.covers(cleared, optimizer.parameters);
    return cleared.known && of.gradients_of(backward).owners == cleared.owners;
  }
  if (!node.is(Kind::ZeroGrad)) return false;
  Values target = node.receiver;
  for (const Values& argument : node.arguments) flow::add(target, argument);
  if (target.size() != 1) return false;
  if (target == optimizer.self) return true;
  if (is_optimizer(of, target)) {
    return optimizer.parameters.known && of.covers(of.parameters_of(target), optimizer.parameters);
  }
  if (!of.is_module(target.front())) return false;
  if (optimizer.parameters.known) return of.covers(of.parameters_of(target), optimizer.parameters);
  return of.gradients_of(backward).owners == target;
}

bool surely_feeds(const Analysis& of, NodeId backward, const Optimizer& optimizer) {
  const Analysis::Parameters gradients = of.gradients_of(backward);
  if (gradients.known && optimizer.parameters.known)
    return of.overlap(gradients, optimizer.parameters);
  // One optimizer and one backward in the whole entry point belong together.
  const std::vector<NodeId> steps = of.all({Kind::Step, Kind::ScalerStep});
  return std::all_of(steps.begin(), steps.end(),
                     [&](NodeId one) { return of.stepped(one) == optimizer.self; });
}

bool may_feed(const Analysis& of, NodeId backward, const Optimizer& optimizer) {
  return of.overlap(of.gradients_of(backward), optimizer.parameters);
}

bool fresh_each_round(const Analysis& of, LoopId loop, const Optimizer& optimizer) {
  auto made_inside = [&](flow::ValueId id) { return of.graph().loop_in(of.value(id).loop, loop); };
  if (!std::all_of(optimizer.self.begin(), optimizer.self.end(), made_inside)) return false;
  const Values& owners = optimizer.parameters.owners;
  return !optimizer.parameters.known || std::all_of(owners.begin(), owners.end(), made_inside);
}

bool cleared_inside(const Analysis& of, LoopId loop, const Optimizer& optimizer) {
  const std::vector<NodeId> clearing = of.where([&](const flow::Node& node) {
    const auto id = static_cast<NodeId>(&node - of.graph().nodes.data());
    return of.graph().in(loop, id) && (may_clear(of, id, optimizer) || clears(of, id, optimizer));
  });
  return !clearing.empty();
}

LoopId closure_loop(const Analysis& of, NodeId step) {
  const flow::Node& node = of.node(step);
  const std::vector<flow::Loop>& loops = of.graph().loops;
  for (LoopId id = 0; id < static_cast<LoopId>(loops.size()); ++id) {
    const flow::Loop& loop = of.loop(id);
    if (loop.closure && loop.frame == node.frame && loop.at == node.at) return id;
  }
  return flow::kNone;
}

bool runs_closure(const Analysis& of, NodeId step, NodeId inside) {
  const LoopId loop = closure_loop(of, step);
  return loop != flow::kNone && of.graph().in(loop, inside);
}

bool is_lbfgs(const Analysis& of, const Optimizer& optimizer) {
  return std::any_of(optimizer.self.begin(), optimizer.self.end(), [&](ValueId one) {
    const ir::Op* maker = of.maker(one);
    if (maker != nullptr) return maker->callee == "LBFGS";
    const std::string& name = of.value(one).step;
    return name.find("lbfgs") != std::string::npos || name.find("LBFGS") != std::string::npos;
  });
}

bool may_run_backward(const Analysis& of, NodeId id, const Optimizer& optimizer) {
  const flow::Node& node = of.node(id);
  if (!node.is(Kind::Call) || node.expanded) return false;
  if (of.may_touch(id, optimizer.self) || of.may_touch(id, optimizer.parameters.owners))
    return true;
  const Values given = reads_of(node);
  const bool unseen = of.may_touch(id, given);  // not one of the harmless
  return unseen && (of.attached(given) || std::any_of(given.begin(), given.end(), [&](ValueId one) {
                      return of.is_module(one);
                    }));
}

Values scalers_of(const Analysis& of, NodeId backward) {
  Values scalers;
  for (const ValueId one : of.graph_of(backward)) {
    const ir::Op* maker = of.maker(one);
    if (maker != nullptr && maker->kind == Kind::ScaleLoss)
      flow::add(scalers, of.node(of.value(one).def).receiver);
  }
  return scalers;
}

bool is_disabled(const Analysis& of, const Values& scalers) {
  return std::any_of(scalers.begin(), scalers.end(), [&](ValueId one) {
    const ir::Op* maker = of.maker(one);
    return maker != nullptr && flow::literal_argument(*maker, "enabled", 99) == "false";
  });
}

std::string called(const Analysis& of, const Values& values, const std::string& otherwise) {
  if (values.size() != 1) return otherwise;
  const flow::Value& value = of.value(values.front());
  const bool named =
      value.form == flow::Value::Form::Name || value.form == flow::Value::Form::Member;
  return named && !value.step.empty() && value.step.front() != '[' ? value.step : otherwise;
}

bool keeps_state(const ir::Op& op) {
  if (op.result_role != ir::Role::Optimizer) return false;
  if (op.callee != "SGD") return true;
  const ir::Argument* momentum = argument(op, "momentum", 2);
  const std::string* literal = momentum == nullptr ? nullptr : literal_of(momentum->value);
  return momentum != nullptr && (literal == nullptr || (*literal != "0" && *literal != "0.0"));
}

flow::Values results_of(const flow::Node& node) {
  flow::Values results;
  for (const flow::Values& made : node.results) flow::add(results, made);
  return results;
}

Values reads_of(const flow::Node& node) {
  Values reads = node.receiver;
  for (const Values& argument : node.arguments) flow::add(reads, argument);
  return reads;
}

}  // namespace forerun::rules
