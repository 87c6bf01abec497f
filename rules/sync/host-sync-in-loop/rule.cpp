#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "rules/host_waits.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::Values;
using ir::Kind;

// The value decides whether the loop or the round goes on (a loss that is not finite, early
// stopping): it is needed now.
bool steers(const Analysis& of, const HostWait& sync) {
  if (of.node(sync.node).form == flow::Node::Form::Branch) return of.only_leaves(sync.node);
  Values results;
  for (const Values& made : of.node(sync.node).results) flow::add(results, made);
  for (const NodeId branch :
       of.where([](const flow::Node& node) { return node.form == flow::Node::Form::Branch; })) {
    if (of.only_leaves(branch) && flow::intersect(of.sources(of.node(branch).receiver), results))
      return true;
  }
  return false;
}

// Met in every round of every loop from here out to the training step.
bool unconditional(const Analysis& of, NodeId id, LoopId step) {
  NodeId at = id;
  for (const LoopId loop : of.loops_around(id)) {
    if (!of.every_round(loop, at)) return false;
    if (loop == step) return true;
    at = of.loop(loop).head;
  }
  return true;
}

// One round is an epoch over all of the data (a graph, a table): what is read once an epoch costs
// nothing next to it.
bool counts_epochs(const Analysis& of, LoopId id) {
  const ir::Loop* loop = of.loop(id).source;
  if (loop == nullptr || loop->form != ir::Loop::Form::Counted || loop->targets.empty())
    return false;
  return ir::to_string(loop->targets.front()).find("epoch") != std::string::npos;
}

// Backward without an optimizer's step compares or measures gradients; nobody trains there.
bool trains(const Analysis& of, LoopId id) {
  for (const NodeId step : of.all({Kind::Step, Kind::ScalerStep})) {
    if (of.graph().in(id, step)) return true;
  }
  return false;
}

// The host waits for the device in every training step; once is a note, twice or once a sample
// costs.
void check(const Analysis& of, Findings& found) {
  std::map<LoopId, std::vector<HostWait>> by_loop;
  for (const NodeId id : of.where([](const flow::Node&) { return true; })) {
    auto sync = host_wait_at(of, id);
    if (!sync) continue;
    const LoopId step = of.step_loop(id);
    if (step == flow::kNone || steers(of, *sync) || !unconditional(of, id, step)) continue;
    const bool nested = of.innermost_loop(id) != step;
    if (nested && of.node(id).grad == flow::Grad::Off) continue;  // an evaluation inside the step
    by_loop[step].push_back(std::move(*sync));
  }
  for (const auto& [step, syncs] : by_loop) {
    for (const HostWait& sync : syncs) {
      const bool nested = of.innermost_loop(sync.node) != step;
      const bool often =
          trains(of, step) && (nested || (syncs.size() > 1 && !counts_epochs(of, step)));
      const std::string how_often =
          nested             ? "several times in every training step"
          : syncs.size() > 1 ? fmt::format("one of {} waits in every training step", syncs.size())
                             : "in every training step";
      found
          .at(sync.node,
              nested || syncs.size() == 1
                  ? fmt::format("{} makes the host wait for the device {}", sync.what, how_often)
                  : fmt::format("{} makes the host wait for the device, {}", sync.what, how_often))
          .note(of.loop(step).at, "the training loop")
          .help("keep the value as a detached tensor and read it every so many steps")
          .level(often ? Level::Warning : Level::Note);
    }
  }
}

}  // namespace

extern const Rule host_sync_in_loop;
constinit const Rule host_sync_in_loop{Level::Note, check,
                                       kinds(Kind::Backward, Kind::Step, Kind::ScalerStep)};

}  // namespace forerun::rules
