#include <algorithm>
#include <map>
#include <set>

#include "rules/graph_use.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// Modules whose forward these values came from.
Values modules_behind(const Analysis& of, const Values& values) {
  Values modules;
  for (const ValueId one : values) {
    const ir::Op* maker = of.maker(one);
    if (maker != nullptr && maker->kind == Kind::Forward)
      flow::add(modules, of.node(of.value(one).def).receiver);
  }
  return modules;
}

// The backward whose gradients a step uses: the last one before it.
NodeId backward_before(const Analysis& of, NodeId step) {
  NodeId last = flow::kNone;
  for (const NodeId backward : of.all(Kind::Backward)) {
    if (backward < step && of.innermost_loop(backward) == of.innermost_loop(step)) last = backward;
  }
  return last;
}

NodeId detach_in(const Analysis& of, NodeId backward, ValueId module) {
  for (const ValueId one : of.sources(of.node(backward).receiver)) {
    const ir::Op* maker = of.maker(one);
    if (maker == nullptr || maker->kind != Kind::Detach) continue;
    const NodeId node = of.value(one).def;
    if (flow::contains(modules_behind(of, attached_sources(of, reads_of(of.node(node)))), module))
      return node;
  }
  return flow::kNone;
}

struct Update {
  NodeId step = flow::kNone, backward = flow::kNone;
  Optimizer optimizer;
};

std::vector<Update> updates(const Analysis& of) {
  std::vector<Update> all;
  for (const NodeId step : of.all({Kind::Step, Kind::ScalerStep})) {
    const NodeId backward = backward_before(of, step);
    if (backward == flow::kNone) return {};
    all.push_back({step, backward, optimizer_of(of, step)});
  }
  return all;
}

bool is_trained_elsewhere(const Analysis& of, ValueId module) {
  for (const NodeId id : of.all({Kind::Backward, Kind::AutogradGrad})) {
    if (flow::contains(modules_behind(of, of.graph_of(id)), module)) return true;
  }
  for (const NodeId id : of.all(Kind::Call)) {
    if (of.may_touch(id, {module})) return true;
  }
  return false;
}

bool same_optimizer(const std::vector<Update>& all) {
  return std::all_of(all.begin(), all.end(), [&](const Update& one) {
    return one.optimizer.self == all.front().optimizer.self;
  });
}

// Two optimizers step, and the outputs of one model reach every loss through
// detach() alone: that model never learns.
void check(const Analysis& of, Findings& found) {
  const std::vector<Update> all = updates(of);
  if (all.size() < 2 || same_optimizer(all)) return;
  std::map<ValueId, std::vector<NodeId>> cut;  // a model, and where it is detached for a loss
  std::set<ValueId> reached;
  for (const Update& update : all) {
    for (const ValueId module : modules_behind(of, of.graph_of(update.backward)))
      reached.insert(module);
    for (const ValueId module : modules_behind(of, of.sources(of.node(update.backward).receiver))) {
      const NodeId node = detach_in(of, update.backward, module);
      if (node != flow::kNone) cut[module].push_back(node);
    }
  }
  // As many optimizers as models that learn: one of them has none.
  std::set<Values> optimizers;
  for (const Update& update : all) optimizers.insert(update.optimizer.self);
  for (const auto& [module, places] : cut) {
    if (reached.contains(module) || is_trained_elsewhere(of, module)) continue;
    const bool owned = std::any_of(all.begin(), all.end(), [&](const Update& update) {
      return update.optimizer.parameters.known &&
             of.overlap(update.optimizer.parameters, {{module}, true});
    });
    if (!owned && optimizers.size() <= reached.size()) continue;
    found
        .at(places.back(),
            "the output is detached for every loss, so no "
            "gradient reaches the model "
            "that made it")
        .note(all.back().step, "its optimizer steps without gradients")
        .help("leave detach() out of the loss that trains it");
  }
}

std::uint32_t trigger(const ir::Op& op) {
  return op.kind == Kind::Step || op.kind == Kind::ScalerStep;
}

}  // namespace

extern const Rule detach_stops_generator;
constinit const Rule detach_stops_generator{Level::Error, check,   kinds(Kind::Detach),
                                            false,        nullptr, {trigger}};

}  // namespace forerun::rules
