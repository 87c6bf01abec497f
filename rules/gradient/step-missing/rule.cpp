#include <algorithm>

#include "rules/declarations.h"
#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// Optimizers that are cleared in a loop, or made here: those somebody means to
// step.
struct Candidate {
  Optimizer optimizer;
  NodeId clearing = flow::kNone;
};

bool is_optimizer(const Analysis& of, const Values& values) {
  return values.size() == 1 && of.value(values.front()).role == ir::Role::Optimizer;
}

std::vector<Candidate> candidates(const Analysis& of) {
  std::vector<Candidate> found;
  auto take = [&](const Values& self, NodeId clearing) {
    if (!is_optimizer(of, self)) return;
    for (Candidate& known : found) {
      if (known.optimizer.self == self) return;
    }
    found.push_back({{self, of.parameters_of(self)}, clearing});
  };
  for (const NodeId id : of.all(Kind::ZeroGrad)) take(of.node(id).receiver, id);
  for (const NodeId id : of.all(Kind::Construct)) {
    if (of.node(id).results.size() == 1) take(of.node(id).results.front(), flow::kNone);
  }
  return found;
}

// Somebody updates the parameters in another way: by hand, or in code that is
// not seen.
bool is_updated(const Analysis& of, const Optimizer& optimizer) {
  for (const NodeId id : of.all({Kind::Step, Kind::ScalerStep})) {
    const Values stepped = of.sources(of.stepped(id));
    if (stepped.empty() || flow::intersect(stepped, optimizer.self)) return true;
    for (const ValueId one : of.stepped(id)) {
      const bool some_element =
          of.value(one).form == flow::Value::Form::Element || of.value(one).step.starts_with("[");
      if (some_element) return true;
    }
  }
  if (!of.all({Kind::GradRead, Kind::AutogradGrad}).empty()) return true;
  for (const NodeId id : of.all({Kind::Call, Kind::Construct})) {
    if (of.node(id).is(Kind::Construct) && of.node(id).op->result_role == ir::Role::Scheduler)
      continue;
    if (of.may_touch(id, optimizer.self)) return true;
    const ir::Op& op = *of.node(id).op;
    if (op.callee.find("step") != std::string::npos) return true;
  }
  return flow::intersect(of.graph().returned, optimizer.self);
}

// The backward whose gradients a clearing makes room for: the next one in the same round.
NodeId backward_after(const Analysis& of, const Candidate& candidate) {
  const LoopId loop = of.innermost_loop(candidate.clearing);
  const auto met = of.path(
      candidate.clearing,
      [&](NodeId at) {
        return of.node(at).is(Kind::Backward) && may_feed(of, at, candidate.optimizer);
      },
      [&](NodeId at) {
        const flow::Node& node = of.node(at);
        return node.is(Kind::Step) || node.is(Kind::ScalerStep) || at == of.loop_latch(loop);
      });
  return met.value_or(flow::kNone);
}

NodeId backward_in_loop(const Analysis& of, const Candidate& candidate, LoopId& loop) {
  if (candidate.clearing != flow::kNone && of.innermost_loop(candidate.clearing) != flow::kNone) {
    const NodeId after = backward_after(of, candidate);
    loop = after == flow::kNone ? flow::kNone : of.innermost_loop(after);
    if (loop != flow::kNone) return after;
  }
  for (const NodeId backward : of.all(Kind::Backward)) {
    loop = of.innermost_loop(backward);
    if (loop == flow::kNone || !surely_feeds(of, backward, candidate.optimizer)) continue;
    if (candidate.clearing == flow::kNone) {
      if (candidate.optimizer.parameters.known) return backward;
      continue;
    }
    for (LoopId around = loop; around != flow::kNone; around = of.loop(around).parent) {
      if (of.graph().in(around, candidate.clearing)) return backward;
    }
  }
  return flow::kNone;
}

// Gradients are made and cleared, round after round, and nothing moves the
// parameters.
void check(const Analysis& of, Findings& found) {
  for (const Candidate& candidate : candidates(of)) {
    if (is_updated(of, candidate.optimizer)) continue;
    LoopId loop = flow::kNone;
    const NodeId backward = backward_in_loop(of, candidate, loop);
    if (backward == flow::kNone) continue;
    auto draft = found.at(backward, "gradients are computed, and the optimizer never steps");
    draft.note(of.loop(loop).at, "in every round of this loop");
    if (candidate.clearing != flow::kNone)
      draft.note(candidate.clearing, "they are cleared here, unused");
    draft.help("call the optimizer's step() after backward()");
    if (is_test(*of.graph().program)) draft.level(Level::Note);
  }
}

}  // namespace

extern const Rule step_missing;
constinit const Rule step_missing{Level::Error, check, kinds(Kind::Backward), true};

}  // namespace forerun::rules
