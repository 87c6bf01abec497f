#include <algorithm>

#include <fmt/format.h>

#include "rules/declarations.h"
#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using ir::Kind;

// The write replaces a member, or an element, of a module that the optimizer took parameters of.
bool replaces_part(const Analysis& of, const flow::Node& node,
                   const Analysis::Parameters& parameters) {
  const ir::Place& to = node.op->results.front();
  for (const ValueId owner : parameters.owners) {
    const flow::Value& value = of.value(owner);
    if (value.form == flow::Value::Form::Name && value.step == to.root && to.steps.size() == 1)
      return true;
    const ir::Op* made = of.maker(owner);
    if (made == nullptr || made->results.size() != 1) continue;
    const ir::Place& whole = made->results.front();
    if (whole.root != to.root || whole.steps.size() + 1 != to.steps.size()) continue;
    if (std::equal(whole.steps.begin(), whole.steps.end(), to.steps.begin())) return true;
  }
  return false;
}

bool steps_later(const Analysis& of, NodeId replaced, const flow::Values& optimizer) {
  return of
      .path(
          replaced,
          [&](NodeId at) {
            const flow::Node& node = of.node(at);
            return (node.is(Kind::Step) || node.is(Kind::ScalerStep)) &&
                   flow::intersect(of.stepped(at), optimizer);
          },
          [&](NodeId at) {
            const flow::Node& node = of.node(at);
            const bool added = node.op != nullptr && mentions(node.op->callee, {"add_param_group"});
            return added || of.may_touch(at, optimizer);
          })
      .has_value();
}

// The optimizer goes on stepping layers that are gone; the new ones stay as they were made.
void check(const Analysis& of, Findings& found) {
  const ir::Program& program = *of.graph().program;
  for (const NodeId made : of.all(Kind::Construct)) {
    const flow::Node& optimizer = of.node(made);
    if (optimizer.op->result_role != ir::Role::Optimizer || optimizer.results.empty()) continue;
    const Analysis::Parameters parameters = of.parameters_of(optimizer.results.front());
    for (const NodeId later : of.all(Kind::Construct)) {
      const flow::Node& node = of.node(later);
      if (node.op->results.size() != 1 || node.op->results.front().steps.empty()) continue;
      if (!makes_stateful_module(program, *node.op) || !replaces_part(of, node, parameters))
        continue;
      // Another round makes another model: its layers are not those that the optimizer took.
      const auto after = of.path(
          made, [&](NodeId at) { return at == later; },
          [&](NodeId at) { return flow::intersect(results_of(of.node(at)), parameters.owners); });
      if (!after || !steps_later(of, later, optimizer.results.front())) continue;
      found
          .at(later, fmt::format("{} is replaced after the optimizer took its parameters",
                                 to_string(node.op->results.front())))
          .note(made, "the optimizer is made here and never steps the new layer")
          .help(
              "make the optimizer after the model is complete, or add_param_group() the new layer");
    }
  }
}

}  // namespace

extern const Rule optimizer_holds_old_params;
constinit const Rule optimizer_holds_old_params{Level::Error, check,
                                                kinds(Kind::Step, Kind::ScalerStep)};

}  // namespace forerun::rules
