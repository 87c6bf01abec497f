#include <algorithm>

#include <fmt/format.h>

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

// Rounds that are trainings of their own: folds, seeds, tasks, clients, images.
bool is_new_training(const ir::Loop& loop) {
  std::string text = loop.iterable ? ir::to_string(*loop.iterable) : std::string();
  for (const ir::Place& target : loop.targets) text += " " + to_string(target);
  return mentions(text, {"fold",  "seed",    "task",   "client", "image",  "img",     "config",
                         "param", "trial",   "stage",  "phase",  "layer",  "dataset", "run",
                         "exp",   "agent",   "lr",     "name",   "sample", "episode", "user",
                         "node",  "restart", "repeat", "round",  "cycle",  "hyper",   "cand",
                         "model", "net",     "level",  "scale",  "arch",   "size",    "split",
                         "patch", "view",    "frame",  "octave", "res",    "optim"});
}

// The weights start anew as well.
bool starts_anew(const Analysis& of, LoopId loop, const Values& owners) {
  return !of.where([&](const flow::Node& node) {
              if (node.op == nullptr ||
                  !of.graph().in(loop, static_cast<NodeId>(&node - of.graph().nodes.data())))
                return false;
              const bool on_model =
                  flow::intersect(node.receiver, owners) ||
                  std::any_of(node.arguments.begin(), node.arguments.end(),
                              [&](const Values& one) { return flow::intersect(one, owners); });
              return on_model && mentions(node.op->callee, {"load_state", "reset", "init", "apply",
                                                            "deepcopy", "clone", "copy"});
            }).empty();
}

bool steps_in(const Analysis& of, LoopId loop, const Values& optimizer) {
  for (const NodeId step : of.all({Kind::Step, Kind::ScalerStep})) {
    if (of.graph().in(loop, step) && flow::intersect(of.stepped(step), optimizer)) return true;
  }
  return false;
}

// An optimizer that is made anew forgets its moments: the first steps of every round are those of
// a cold start.
void check(const Analysis& of, Findings& found) {
  for (const NodeId made : of.all(Kind::Construct)) {
    const flow::Node& node = of.node(made);
    if (node.results.empty() || !keeps_state(*node.op)) continue;
    const Values& optimizer = node.results.front();
    const Analysis::Parameters parameters = of.parameters_of(optimizer);
    for (const LoopId loop : of.loops_around(made)) {
      const ir::Loop* source = of.loop(loop).source;
      if (source == nullptr || !steps_in(of, loop, optimizer)) continue;
      if (is_new_training(*source) || !of.guards(made, loop).empty()) break;
      const bool outlives =
          !parameters.owners.empty() &&
          std::all_of(parameters.owners.begin(), parameters.owners.end(),
                      [&](ValueId one) { return !of.graph().loop_in(of.value(one).loop, loop); });
      if (!outlives || starts_anew(of, loop, parameters.owners)) break;
      const NodeId seen = of.seen_from(loop, made);
      auto draft = found.at(
          seen, fmt::format("a new {} is made in every round: what it had gathered is lost",
                            node.op->callee));
      if (seen != made) draft.note(made, "it is made here");
      draft.note(of.loop(loop).at, "each round of this loop starts it anew")
          .help("make it once, before the loop; change lr through its param_groups or a scheduler");
      break;
    }
  }
}

}  // namespace

extern const Rule optimizer_rebuilt_in_loop;
constinit const Rule optimizer_rebuilt_in_loop{Level::Warning, check,
                                               kinds(Kind::Step, Kind::ScalerStep)};

}  // namespace forerun::rules
