#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "rules/declarations.h"
#include "rules/training.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// The state and whatever holds the same tensors: a dict around it, a shallow copy.
Values carriers(const Analysis& of, const Values& state) {
  Values all = state;
  for (bool grew = true; grew;) {
    grew = false;
    for (ValueId id = 0; id < static_cast<ValueId>(of.graph().values.size()); ++id) {
      if (flow::contains(all, id)) continue;
      const flow::Value& one = of.value(id);
      const ir::Op* maker = of.maker(id);
      const bool container = maker != nullptr && maker->kind == Kind::Pack;
      const bool shallow =
          maker != nullptr && maker->kind == Kind::Call &&
          (maker->callee == "copy" || maker->callee == "dict" || maker->callee == "OrderedDict");
      if ((container && flow::intersect(one.contents, all)) ||
          (shallow && flow::intersect(one.inputs, all)))
        grew |= flow::add(all, id);
    }
  }
  return all;
}

// Reads the weights that were kept: loads or saves them, or gives them back.
bool uses_weights(const flow::Node& node) {
  if (node.is(Kind::Save)) return true;
  if (node.is(Kind::Call)) return node.op->callee == "load_state_dict";
  return node.jump != nullptr && node.jump->form == ir::Jump::Form::Return;
}

// Its name is given something else: on the other side of an `if`, or before the next one is kept.
bool replaces(const Analysis& of, NodeId kept, NodeId other) {
  const flow::Node &one = of.node(kept), &two = of.node(other);
  return two.op != nullptr && one.frame == two.frame && !two.op->results.empty() &&
         one.op->results.front() == two.op->results.front() &&
         !one.op->results.front().is_temporary();
}

bool reads_any(const flow::Node& node, const Values& carried) {
  return std::any_of(node.arguments.begin(), node.arguments.end(),
                     [&](const Values& one) { return flow::intersect(one, carried); });
}

// The model is the same object in the round that kept its state and in the one that steps.
bool same_model(const Analysis& of, NodeId kept, NodeId step) {
  const Analysis::Parameters owners{of.node(kept).receiver, true};
  const Analysis::Parameters stepped = of.parameters_of(of.stepped(step));
  if (!of.overlap(stepped, owners)) return false;
  return std::none_of(owners.owners.begin(), owners.owners.end(), [&](ValueId one) {
    return of.value(one).loop != flow::kNone && of.maker(one) != nullptr;
  });
}

bool is_module_state(const Analysis& of, NodeId kept) {
  const Values& owner = of.node(kept).receiver;
  return !owner.empty() && std::all_of(owner.begin(), owner.end(), [&](ValueId one) {
    return of.is_module(one) || of.value(one).role == ir::Role::Unknown;
  });
}

// What state_dict() gives shares its tensors with the model: training on changes what was kept.
void by_flow(const Analysis& of, Findings& found) {
  const std::vector<NodeId> steps = of.all({Kind::Step, Kind::ScalerStep});
  if (steps.empty()) return;
  for (const NodeId kept : of.all(Kind::StateDict)) {
    if (of.node(kept).results.empty() || !is_module_state(of, kept)) continue;
    const Values carried = carriers(of, of.node(kept).results.front());
    const auto is_kept_anew = [&](NodeId at) { return at == kept || replaces(of, kept, at); };
    for (const NodeId step : steps) {
      if (!same_model(of, kept, step)) continue;
      const auto never = [](NodeId) { return false; };
      if (!of.path(
              kept, [&](NodeId at) { return at == step; }, never))
        continue;
      const auto used = of.path(
          step,
          [&](NodeId at) { return uses_weights(of.node(at)) && reads_any(of.node(at), carried); },
          is_kept_anew);
      if (!used) continue;
      found.at(kept, "the weights that are kept go on changing with the model")
          .note(step, "every step changes them")
          .note(*used, "here they are those of the last step")
          .help("copy them: copy.deepcopy(model.state_dict())");
      break;
    }
  }
}

bool names_a_snapshot(const ir::Place& place) {
  const std::string& name = place.steps.empty() ? place.root : place.steps.back();
  return mentions(name, {"best", "snapshot", "backup"});
}

// best = net: two names of one object. Only a name tells that a copy was meant.
void second_name(const ir::Function& function, Findings& found) {
  struct Kept {
    const ir::Op* op;
    ir::Place place;
    const ir::Loop* loop;
  };
  std::vector<Kept> kept;
  std::set<const ir::Loop*> trains;
  std::map<ir::Place, bool> modules;
  std::vector<std::pair<const ir::Op*, std::vector<const ir::Loop*>>> reads;
  each_operation(function, [&](const Site& site) {
    const ir::Op& op = *site.op;
    if (op.kind == Kind::Step || op.kind == Kind::ScalerStep || op.kind == Kind::Backward)
      trains.insert(site.loops.begin(), site.loops.end());
    const bool acts = op.kind == Kind::Forward || op.kind == Kind::TrainMode ||
                      op.kind == Kind::EvalMode || op.kind == Kind::Parameters ||
                      op.kind == Kind::StateDict;
    const ir::Place* receiver = op.receiver ? place_of(*op.receiver) : nullptr;
    if (acts && receiver != nullptr) modules[*receiver] = true;
    const ir::Place* from = op.kind == Kind::Assign && op.arguments.size() == 1
                                ? place_of(op.arguments[0].value)
                                : nullptr;
    if (from != nullptr && op.results.size() == 1 && names_a_snapshot(op.results[0]) &&
        !site.loops.empty() && !site.branches.empty() && !names_a_snapshot(*from) &&
        !from->is_temporary()) {
      const auto role = function.roles.find(*from);
      const bool module = modules.contains(*from) ||
                          (role != function.roles.end() && role->second == ir::Role::Module);
      if (module) kept.push_back({&op, op.results[0], site.loops.front()});
    }
    reads.emplace_back(&op, site.loops);
  });
  for (const Kept& one : kept) {
    if (!trains.contains(one.loop)) continue;
    const bool used_after = std::any_of(reads.begin(), reads.end(), [&](const auto& read) {
      if (std::find(read.second.begin(), read.second.end(), one.loop) != read.second.end())
        return false;
      const ir::Place* receiver = read.first->receiver ? place_of(*read.first->receiver) : nullptr;
      if (receiver != nullptr && *receiver == one.place) return true;
      return std::any_of(read.first->arguments.begin(), read.first->arguments.end(),
                         [&](const ir::Argument& argument) {
                           const ir::Place* place = place_of(argument.value);
                           return place != nullptr && *place == one.place;
                         });
    });
    if (!used_after) continue;
    found
        .at(one.op->at,
            fmt::format("{} is another name of the model that goes on training, no copy",
                        to_string(one.place)))
        .note(one.loop->at, "the loop goes on changing it")
        .help("copy the model: copy.deepcopy(model), in C++ clone() or save() it");
  }
}

void declarations(const ir::Program& program, Findings& found) {
  for (const ir::Function& function : program.functions) second_name(function, found);
}

}  // namespace

extern const Rule best_weights_alias;
constinit const Rule best_weights_alias{Level::Error, by_flow,
                                        kinds(Kind::Step, Kind::ScalerStep, Kind::Backward), false,
                                        declarations};

}  // namespace forerun::rules
