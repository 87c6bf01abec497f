#include "rules/rule.h"

#include <algorithm>

#include "rules/declarations.h"
#include "rules/modes.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// In evaluation code, without a graph, and for its result.
bool is_evaluation(const Analysis& of, NodeId forward) {
  const flow::Node& node = of.node(forward);
  return node.grad == flow::Grad::Off && !node.op->results.empty() &&
         of.innermost_loop(forward) != flow::kNone && !is_inside_a_forward(of, forward) &&
         is_evaluation_code(of, forward);
}

bool on_purpose(const Analysis& of, NodeId node) {
  const flow::Graph& graph = of.graph();
  for (flow::FrameId at = of.node(node).frame; at != flow::kNone;
       at = graph.frames[static_cast<std::size_t>(at)].caller) {
    const ir::Function* function = graph.frames[static_cast<std::size_t>(at)].function;
    if (function != nullptr &&
        mentions(function->name, {"mc_", "monte", "bayes", "uncertain", "update_bn", "calibrat"}))
      return true;
  }
  return false;
}

// Where the model is put in training mode, or made, on a way to this forward with no eval().
std::vector<NodeId> ways_of_training(const Analysis& of, const Values& modules) {
  std::vector<NodeId> found;
  for (const NodeId mode : of.all(Kind::TrainMode)) {
    if (sets_training(of, mode, modules) && of.node(mode).op->arguments.empty())
      found.push_back(mode);
  }
  for (const ValueId module : modules) {
    const ir::Op* made = of.maker(module);
    if (made != nullptr && made->kind == Kind::Construct && !of.node(of.value(module).def).prelude)
      found.push_back(of.value(module).def);
  }
  return found;
}

// Validation with dropout on and batch statistics that still move: the score is not the model's,
// and validation data leaks into the running statistics.
void check(const Analysis& of, Findings& found) {
  for (const NodeId forward : of.all(Kind::Forward)) {
    if (!is_evaluation(of, forward) || on_purpose(of, forward)) continue;
    const Values& modules = of.node(forward).receiver;
    for (const NodeId start : ways_of_training(of, modules)) {
      const auto met = of.path(
          start, [&](NodeId at) { return at == forward; },
          [&](NodeId at) { return sets_evaluation(of, at, modules) || of.may_touch(at, modules); });
      if (!met) continue;
      const bool here = of.node(start).is(Kind::TrainMode) && is_evaluation_code(of, start);
      found
          .at(here ? start : forward, here ? "the model is put in training mode and then evaluated"
                                           : "the model is evaluated in training mode")
          .note(here ? forward : start,
                here ? "this forward evaluates it" : "it is in training mode from here on")
          .help("call eval() before the evaluation and train() after it");
      break;
    }
  }
}

// Somewhere no graph is recorded, and the mode matters.
bool concerned(const ir::Program& program) {
  bool switches = false;
  each_operation(program, [&](const Site& site) {
    using Form = ir::Scope::Form;
    switches |= site.op->callee == "set_grad_enabled" || site.op->callee == "set_enabled" ||
                std::any_of(site.scopes.begin(), site.scopes.end(), [](const ir::Scope* scope) {
                  return scope->form == Form::NoGrad || scope->form == Form::InferenceMode ||
                         scope->form == Form::SetGradEnabled;
                });
  });
  return switches && mode_matters(program) == ModeMatters::Yes;
}

}  // namespace

extern const Rule train_mode_in_validation;
constinit const Rule train_mode_in_validation{
    Level::Warning, check, kinds(Kind::Forward), true, nullptr, {}, concerned};

}  // namespace forerun::rules
