#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "rules/declarations.h"
#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::Values;
using ir::Kind;

bool is_parameter_name(const std::string& step) {
  static const std::set<std::string> known = {"weight", "bias", "weight_ih_l0", "weight_hh_l0",
                                              "in_proj_weight"};
  return known.contains(step);
}

bool makes_optimizer(const ir::Op& op) {
  return op.kind == Kind::Construct && op.result_role == ir::Role::Optimizer;
}
bool fills_slot(const ir::Op& op) {
  if (op.results.size() != 1 || op.results.front().steps.empty()) return false;
  const ir::Place& to = op.results.front();
  return is_parameter_name(to.steps.back()) && !(to.root == "self" && to.steps.size() == 1);
}
std::uint32_t trigger(const ir::Op& op) {
  return (makes_optimizer(op) ? 1U : 0U) | (fills_slot(op) ? 2U : 0U);
}

// module.weight = …: the slot gets another tensor; whoever took the parameters before has the old.
void of_modules(const Analysis& of, Findings& found) {
  const bool cpp = of.graph().program->language == ir::Language::Cpp;
  const std::vector<NodeId> optimizers = of.where(
      [](const flow::Node& node) { return node.op != nullptr && makes_optimizer(*node.op); });
  for (const NodeId id : of.where(
           [](const flow::Node& node) { return node.op != nullptr && fills_slot(*node.op); })) {
    const flow::Node& node = of.node(id);
    const ir::Place& to = node.op->results.front();
    const bool makes = node.is(Kind::Construct) || node.is(Kind::Tensor) || node.is(Kind::Arith) ||
                       node.is(Kind::Detach);
    if (!makes || node.op->details.contains("registered")) continue;
    for (const NodeId optimizer : optimizers) {
      const auto met = of.path(
          optimizer, [&](NodeId at) { return at == id; }, [](NodeId) { return false; });
      if (!met) continue;
      const Analysis::Parameters parameters = of.parameters_of(of.node(optimizer).results.front());
      bool same = false;
      for (const flow::ValueId owner : parameters.owners) {
        const flow::Value& value = of.value(owner);
        same |= value.form == flow::Value::Form::Name && value.step == to.root;
        const ir::Op* made = of.maker(owner);
        same |= made != nullptr && !made->results.empty() && made->results.front().root == to.root;
      }
      if (!same) continue;
      found
          .at(id, fmt::format("{} is another tensor now; the optimizer goes on with the old one",
                              to_string(to)))
          .note(optimizer, "the optimizer took the parameters here")
          .help(cpp ? "change it in place under a NoGradGuard: weight.copy_(...)"
                    : "change it in place under no_grad: weight.copy_(...)");
      break;
    }
  }
}

bool reads_place(const ir::Op& op, const ir::Place& place) {
  auto is = [&](const ir::Operand& operand) {
    const ir::Place* given = place_of(operand);
    return given != nullptr && given->root == place.root;
  };
  if (op.receiver && is(*op.receiver)) return true;
  return std::any_of(op.arguments.begin(), op.arguments.end(),
                     [&](const ir::Argument& one) { return is(one.value); });
}

// for p in net.parameters(): p = p - lr * p.grad — a new tensor for the name, none for the module.
void in_loops(const ir::Function& function, Findings& found) {
  std::set<std::string> lists;
  std::vector<Site> sites;
  each_operation(function, [&](const Site& site) {
    if (site.op->kind == Kind::Parameters && site.op->results.size() == 1)
      lists.insert(to_string(site.op->results.front()));
    sites.push_back(site);
  });
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Site& site = sites[i];
    const ir::Op& op = *site.op;
    if (site.loops.empty() || op.results.size() != 1 || !op.results[0].steps.empty()) continue;
    const ir::Loop& loop = *site.loops.back();
    if (!loop.iterable || !lists.contains(ir::to_string(*loop.iterable)) || loop.targets.empty())
      continue;
    if (!(loop.targets.back() == op.results[0]) || op.kind != Kind::Arith ||
        op.callee.starts_with("i"))
      continue;
    bool from_itself = reads_place(op, op.results[0]);
    bool used_after = false;
    for (std::size_t j = i + 1; j < sites.size(); ++j) {
      if (!sites[j].loops.empty() && sites[j].loops.back() == &loop)
        used_after |= reads_place(*sites[j].op, op.results[0]);
    }
    if (!from_itself || used_after) continue;
    found
        .at(op.at, fmt::format("the name {0} gets a new tensor; the module keeps the old one",
                               to_string(op.results[0])))
        .note(loop.at, "its parameters are only named here")
        .help("change it in place under no_grad: p -= ..., or p.data");
  }
}

void declarations(const ir::Program& program, Findings& found) {
  for (const ir::Function& function : program.functions) in_loops(function, found);
}

}  // namespace

extern const Rule parameter_slot_rebound;
constinit const Rule parameter_slot_rebound{Level::Error, of_modules,   0,
                                            false,        declarations, {trigger, 3}};

}  // namespace forerun::rules
