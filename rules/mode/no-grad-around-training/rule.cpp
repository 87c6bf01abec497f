#include "rules/rule.h"

#include <algorithm>

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

bool computes(const ir::Op& op) {
  return op.kind == Kind::Loss || op.kind == Kind::Forward || op.kind == Kind::Arith ||
         op.kind == Kind::Tensor;
}

// Every value the loss may be was computed where no graph is recorded; the operation is returned.
NodeId made_without_graph(const Analysis& of, NodeId backward) {
  const Values& losses = of.node(backward).receiver;
  NodeId found = flow::kNone;
  for (const ValueId loss : losses) {
    const ir::Op* maker = of.maker(loss);
    if (maker == nullptr || !computes(*maker)) return flow::kNone;
    found = of.value(loss).def;
    if (of.node(found).grad != flow::Grad::Off) return flow::kNone;
  }
  return found;
}

bool is_given_a_gradient(const Analysis& of, const Values& losses) {
  const std::vector<NodeId> uses = of.uses(losses);
  return std::any_of(uses.begin(), uses.end(),
                     [&](NodeId use) { return of.node(use).is(Kind::RequiresGrad); });
}

// if loss.requires_grad: loss.backward()
bool is_asked_for(const Analysis& of, NodeId backward) {
  const std::vector<Analysis::Guard> guards = of.guards(backward, flow::kNone);
  return std::any_of(guards.begin(), guards.end(), [&](const Analysis::Guard& guard) {
    const ir::Operand* condition = of.node(guard.branch).condition;
    const auto* place = condition == nullptr ? nullptr : std::get_if<ir::Place>(condition);
    if (place != nullptr && !place->steps.empty() && place->steps.back() == "requires_grad")
      return true;
    const Values& asked = of.node(guard.branch).receiver;
    return std::any_of(asked.begin(), asked.end(), [&](ValueId one) {
      const ir::Op* maker = of.maker(one);
      return maker != nullptr &&
             (maker->callee == "requires_grad" || maker->callee == "is_grad_enabled");
    });
  });
}

// What is computed without a graph cannot be run backward: it raises, or, with requires_grad set by
// hand, trains nothing.
void check(const Analysis& of, Findings& found) {
  for (const NodeId backward : of.all(Kind::Backward)) {
    const NodeId made = made_without_graph(of, backward);
    if (made == flow::kNone || is_asked_for(of, backward)) continue;
    const int scope = of.scope_around(made, [](const ir::Scope& one) {
      return one.form == ir::Scope::Form::NoGrad || one.form == ir::Scope::Form::InferenceMode ||
             one.form == ir::Scope::Form::SetGradEnabled;
    });
    const NodeId guard =
        scope == flow::kNone ? made : of.graph().scopes[static_cast<std::size_t>(scope)].node;
    const char* outcome = is_given_a_gradient(of, of.node(backward).receiver)
                              ? "backward() of it reaches no parameter"
                              : "backward() of it raises";
    auto draft = found.at(guard, "the loss is computed here without a graph");
    if (guard != made) draft.note(made, "it is computed here");
    draft.note(backward, outcome).help("compute what is trained outside the guard");
  }
}

}  // namespace

extern const Rule no_grad_around_training;
constinit const Rule no_grad_around_training{Level::Error, check, kinds(Kind::Backward)};

}  // namespace forerun::rules
