#include "rules/graph_use.h"

#include <algorithm>

namespace forerun::rules {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

namespace {

// Intermediate results: what saves something for backward. A leaf, a module or a number does not.
Values intermediates(const Analysis& of, const Values& graph) {
  Values found;
  for (const ValueId one : graph) {
    const ir::Op* maker = of.maker(one);
    if (maker == nullptr) continue;
    const bool unseen = maker->kind == Kind::Call && of.history(one) == flow::History::Maybe;
    if (of.history(one) != flow::History::Graph && !unseen) continue;
    if (maker->kind == Kind::Pack || maker->kind == Kind::Parameters) continue;
    flow::add(found, one);
  }
  return found;
}

bool runs_backward(const flow::Node& node) {
  return node.is(Kind::Backward) || node.is(Kind::AutogradGrad);
}

// Made before the loop whose rounds run this backward: every round runs through it.
bool made_outside(const Analysis& of, LoopId loop, const Values& values) {
  return loop != flow::kNone && std::any_of(values.begin(), values.end(), [&](ValueId one) {
           return !of.graph().loop_in(of.value(one).loop, loop);
         });
}

// A value of an earlier round is part of the graph: it comes from an operation further down.
bool reaches_back(const Analysis& of, LoopId loop, const Values& values) {
  if (loop == flow::kNone) return false;
  for (const ValueId one : values) {
    const NodeId made = of.value(one).def;
    for (const ValueId input : of.value(one).inputs) {
      if (!flow::contains(values, input) || of.value(input).def < made) continue;
      if (of.graph().loop_in(of.value(input).loop, loop)) return true;
    }
  }
  return false;
}

// From one backward to the other without the value being computed anew.
bool survives(const Analysis& of, ValueId value, NodeId backward, NodeId other) {
  const NodeId made = of.value(value).def;
  return of
      .path(
          backward, [&](NodeId at) { return at == other; }, [&](NodeId at) { return at == made; })
      .has_value();
}

// Some of it leaves: handed to code that is not seen, or returned with its graph.
bool leaves(const Analysis& of, const Values& values) {
  for (const NodeId use : of.uses(values)) {
    if (of.may_touch(use, values)) return true;
  }
  return false;
}

}  // namespace

Values attached_sources(const Analysis& of, const Values& values) {
  return of.sources(values, [&](const flow::Value& one) {
    if (one.form != flow::Value::Form::Result || one.def == flow::kNone) return true;
    const flow::Node& made = of.node(one.def);
    return made.op == nullptr || (flow::carries_gradient(*made.op) && made.grad != flow::Grad::Off);
  });
}

bool graph_is_used_again(const Analysis& of, NodeId backward) {
  const Values kept = intermediates(of, of.graph_of(backward));
  for (const NodeId other : of.where([](const flow::Node& node) { return runs_backward(node); })) {
    if (other == backward) continue;
    for (const ValueId one : kept) {
      if (flow::contains(of.graph_of(other), one) && survives(of, one, backward, other))
        return true;
    }
  }
  const LoopId loop = of.node(backward).loop;  // a closure is a loop here
  return made_outside(of, loop, kept) || reaches_back(of, loop, kept) || leaves(of, kept);
}

bool feeds_itself(const Analysis& of, NodeId forward) {
  Values results;
  for (const Values& made : of.node(forward).results) flow::add(results, made);
  Values given;
  for (const Values& argument : of.node(forward).arguments) flow::add(given, argument);
  return flow::intersect(attached_sources(of, given), results);
}

}  // namespace forerun::rules
