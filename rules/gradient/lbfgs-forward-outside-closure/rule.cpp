#include <algorithm>

#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

bool made_outside(const Analysis& of, LoopId closure, const Values& values) {
  return !values.empty() && std::none_of(values.begin(), values.end(), [&](ValueId one) {
    return of.graph().loop_in(of.value(one).loop, closure);
  });
}

// The closure computes no forward of its own, and code that is not seen could
// not either.
bool evaluates(const Analysis& of, LoopId closure) {
  for (const NodeId id : of.where([](const flow::Node& node) { return node.op != nullptr; })) {
    if (!of.graph().in(closure, id)) continue;
    const flow::Node& node = of.node(id);
    if (node.is(Kind::Forward) || node.is(Kind::Loss)) return true;
    if (node.is(Kind::Call) && of.may_touch(id, reads_of(node))) return true;
  }
  return false;
}

// What the closure gives back, or runs backward: the place to point at.
NodeId stale_use(const Analysis& of, LoopId closure) {
  for (const NodeId backward : of.all(Kind::Backward)) {
    if (of.graph().in(closure, backward) && made_outside(of, closure, of.node(backward).receiver))
      return backward;
  }
  for (const NodeId jump :
       of.where([](const flow::Node& node) { return node.form == flow::Node::Form::Jump; })) {
    if (!of.graph().in(closure, jump)) continue;
    for (const Values& given : of.node(jump).arguments) {
      if (made_outside(of, closure, given) && of.attached(given)) return jump;
    }
  }
  return flow::kNone;
}

NodeId where_computed(const Analysis& of, NodeId use) {
  Values values = of.node(use).receiver;
  for (const Values& given : of.node(use).arguments) flow::add(values, given);
  for (const ValueId one : values) {
    if (of.value(one).form == flow::Value::Form::Result && of.value(one).def != flow::kNone)
      return of.value(one).def;
  }
  return flow::kNone;
}

// LBFGS asks its closure for the loss at new parameters; a loss computed before
// the step never changes.
void check(const Analysis& of, Findings& found) {
  for (const NodeId step : of.all(Kind::Step)) {
    const LoopId closure = closure_loop(of, step);
    if (closure == flow::kNone || !is_lbfgs(of, optimizer_of(of, step))) continue;
    if (evaluates(of, closure)) continue;
    const NodeId use = stale_use(of, closure);
    if (use == flow::kNone) continue;
    auto draft = found.at(use, "the closure uses a loss that was computed outside it");
    if (const NodeId made = where_computed(of, use); made != flow::kNone)
      draft.note(made, "computed here, before the step");
    draft.note(step, "LBFGS evaluates the closure several times, at different parameters");
    draft.help("run the forward pass and the loss inside the closure");
  }
}

}  // namespace

extern const Rule lbfgs_forward_outside_closure;
constinit const Rule lbfgs_forward_outside_closure{Level::Error, check, kinds(Kind::Step)};

}  // namespace forerun::rules
