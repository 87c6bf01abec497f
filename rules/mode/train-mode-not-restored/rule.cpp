#include "rules/rule.h"

#include <set>

#include "rules/modes.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::Values;
using ir::Kind;

LoopId loop_of_both(const Analysis& of, NodeId a, NodeId b) {
  for (const LoopId loop : of.loops_around(a)) {
    if (of.graph().in(loop, b)) return loop;
  }
  return flow::kNone;
}

// Only the whole model: layers that are kept in evaluation mode are kept so on purpose.
bool concerns(const Analysis& of, NodeId evaluation, const Values& modules) {
  return is_within(of, modules, of.node(evaluation).receiver);
}

// The way goes on to a backward: `if training: train() else: eval()` before and `if training:`
// around backward() contradict each other.
bool is_run_backward(const Analysis& of, NodeId evaluation, NodeId forward, const Values& modules,
                     LoopId loop) {
  std::set<NodeId> backwards;
  for (const Values& made : of.node(forward).results) {
    for (const flow::ValueId one : made) {
      for (const NodeId backward : of.backwards_of(one)) backwards.insert(backward);
    }
  }
  if (backwards.empty()) return true;  // what is run backward is not seen
  return of
      .path(
          evaluation, [&](NodeId at) { return backwards.contains(at); },
          [&](NodeId at) { return sets_training(of, at, modules); }, loop)
      .has_value();
}

// From evaluation back to a training forward with no train() on the way: dropout is off and batch
// statistics stand still for the rest of training.
void check(const Analysis& of, Findings& found) {
  const std::vector<NodeId> evaluations = of.all(Kind::EvalMode);
  if (evaluations.empty() || mode_matters(*of.graph().program) == ModeMatters::No) return;
  for (const NodeId evaluation : evaluations) {
    for (const NodeId forward : of.all(Kind::Forward)) {
      const Values& modules = of.node(forward).receiver;
      if (!concerns(of, evaluation, modules) || !is_training_forward(of, forward)) continue;
      const LoopId loop = loop_of_both(of, evaluation, forward);
      if (loop == flow::kNone || !of.comes_round(loop, evaluation, forward)) continue;
      const auto met = of.path(
          evaluation, [&](NodeId at) { return at == forward; },
          [&](NodeId at) { return sets_training(of, at, modules) || of.may_touch(at, modules); },
          loop);
      if (!met || !is_run_backward(of, evaluation, forward, modules, loop)) continue;
      const NodeId seen = of.seen_from(loop, evaluation);
      auto draft = found.at(seen, "training goes on in evaluation mode after this");
      if (seen != evaluation) draft.note(evaluation, "eval() is called here");
      draft.note(forward, "this forward trains the model with no train() before it")
          .help("call train() on the model before training goes on");
      break;
    }
  }
}

}  // namespace

extern const Rule train_mode_not_restored;
constinit const Rule train_mode_not_restored{Level::Error, check, kinds(Kind::EvalMode), true};

}  // namespace forerun::rules
