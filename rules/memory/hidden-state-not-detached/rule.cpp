#include <algorithm>
#include <set>

#include "rules/graph_use.h"

namespace forerun::rules {
namespace {

using flow::Analysis;
using flow::LoopId;
using flow::NodeId;
using flow::ValueId;
using flow::Values;
using ir::Kind;

// What the forward's state argument may hold besides its own earlier result:
// where one of these was made, the chain is broken.
std::set<NodeId> breaks(const Analysis& of, NodeId forward, const Values& state) {
  std::set<NodeId> nodes;
  const Values own = results_of(of.node(forward));
  for (const ValueId one : of.sources(state)) {
    const flow::Value& value = of.value(one);
    if (value.form != flow::Value::Form::Result || value.def == flow::kNone) continue;
    const Values carried = attached_sources(of, {one});
    if (!flow::intersect(carried, own)) nodes.insert(value.def);
  }
  for (const NodeId detach : of.all(Kind::Detach)) {
    const flow::Node& node = of.node(detach);
    if (node.op->callee == "detach_" &&
        flow::intersect(of.sources(node.receiver), of.sources(state)))
      nodes.insert(detach);
  }
  return nodes;
}

// Before the loop the state is given its first value; inside the loop, around
// the rounds of an inner one, it may be given a new one.
bool restarts(const Analysis& of, LoopId loop, const Values& state, const Values& own) {
  bool from_outside = false;
  for (const ValueId one : state) {
    if (flow::contains(own, one)) continue;
    const flow::Value& value = of.value(one);
    if (!of.graph().loop_in(value.loop, loop)) from_outside = true;
  }
  return !from_outside;
}

// A layer inside a model whose own forward is called: the state comes in there.
bool is_part_of_a_model(const Analysis& of, NodeId forward) {
  const auto& frames = of.graph().frames;
  flow::FrameId frame = of.node(forward).frame;
  while (frame != flow::kNone) {
    const flow::Frame& one = frames[static_cast<std::size_t>(frame)];
    if (one.call != flow::kNone && of.node(one.call).is(Kind::Forward)) return true;
    frame = one.caller;
  }
  return false;
}

// The state argument: the one that the forward's own result comes back in.
const Values* state_of(const Analysis& of, NodeId forward) {
  const Values own = results_of(of.node(forward));
  for (const Values& argument : of.node(forward).arguments) {
    if (flow::intersect(attached_sources(of, argument), own)) return &argument;
  }
  return nullptr;
}

// The state of one round is fed to the next with its graph, and each round runs
// backward: the second one runs through a graph that was freed, or through all
// rounds since the start.
void check(const Analysis& of, Findings& found) {
  std::set<NodeId> reported;
  for (const NodeId backward : of.all(Kind::Backward)) {
    const LoopId loop = of.innermost_loop(backward);
    if (loop == flow::kNone) continue;
    for (const ValueId one : of.graph_of(backward)) {
      const ir::Op* maker = of.maker(one);
      if (maker == nullptr || maker->kind != Kind::Forward) continue;
      const NodeId forward = of.value(one).def;
      if (!of.graph().in(loop, forward) || reported.contains(forward)) continue;
      if (is_part_of_a_model(of, forward)) continue;
      const Values* state = state_of(of, forward);
      if (state == nullptr || !of.attached(*state)) continue;
      const Values own = results_of(of.node(forward));
      if (of.innermost_loop(forward) != loop && restarts(of, loop, *state, own)) continue;
      const std::set<NodeId> broken = breaks(of, forward, *state);
      const auto carried = of.path(
          backward, [&](NodeId at) { return at == forward; },
          [&](NodeId at) { return broken.contains(at); });
      if (!carried) continue;
      reported.insert(forward);
      found
          .at(forward,
              "the state of the round before comes in with its graph, through "
              "which backward() "
              "already ran")
          .note(backward, "backward() runs here in every round")
          .help("detach the state between rounds: state = state.detach()");
    }
  }
}

}  // namespace

extern const Rule hidden_state_not_detached;
constinit const Rule hidden_state_not_detached{Level::Error, check, kinds(Kind::Backward)};

}  // namespace forerun::rules
