// What several rules ask about training: whose gradients an optimizer steps, what clears them,
// which loop trains, which scaler scaled a loss.
#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace forerun::rules {

struct Optimizer {
  flow::Values self;
  flow::Analysis::Parameters parameters;
};
// The optimizer that a step (plain or through a scaler), or an unscale, is about.
Optimizer optimizer_of(const flow::Analysis& of, flow::NodeId step);

// An operation that makes an optimizer which remembers: all but SGD without momentum.
bool keeps_state(const ir::Op& op);

bool is_lbfgs(const flow::Analysis& of, const Optimizer& optimizer);

// Does the node clear the optimizer's gradients, as far as can be seen? For absence rules: doubt
// counts as yes.
bool clears(const flow::Analysis& of, flow::NodeId node, const Optimizer& optimizer);
// Code that is not seen: whoever gets the optimizer may clear; whoever only gets the model may when
// it is called for its effect.
bool may_clear(const flow::Analysis& of, flow::NodeId node, const Optimizer& optimizer);
// The loop in whose rounds gradients are cleared: one over the parameters themselves is part of the
// clearing.
flow::LoopId round_of_clearing(const flow::Analysis& of, flow::NodeId clearing);
// For order rules: doubt counts as no. All that the optimizer would step with after this backward
// is gone after the node.
bool surely_clears(const flow::Analysis& of, flow::NodeId node, const Optimizer& optimizer,
                   flow::NodeId backward);

// Does the backward call put gradients where the optimizer steps? `may`: doubt counts as yes.
bool surely_feeds(const flow::Analysis& of, flow::NodeId backward, const Optimizer& optimizer);
bool may_feed(const flow::Analysis& of, flow::NodeId backward, const Optimizer& optimizer);

// The innermost loop that runs both this step and a backward into its optimizer, round after round;
// `backward` is set to the one that was found.
flow::LoopId training_loop(const flow::Analysis& of, flow::NodeId step, const Optimizer& optimizer,
                           flow::NodeId& backward);

// An optimizer made in the loop over tensors made in the loop starts without gradients.
bool fresh_each_round(const flow::Analysis& of, flow::LoopId loop, const Optimizer& optimizer);
// Something in the loop clears the optimizer's gradients, or may.
bool cleared_inside(const flow::Analysis& of, flow::LoopId loop, const Optimizer& optimizer);

// The step is given a closure, and this operation runs in it.
bool runs_closure(const flow::Analysis& of, flow::NodeId step, flow::NodeId inside);
// The loop a step runs its closure in; kNone when it has none that is seen.
flow::LoopId closure_loop(const flow::Analysis& of, flow::NodeId step);

// Code that is not seen and could run backward into the optimizer: it gets the optimizer, its model
// or something that has a graph.
bool may_run_backward(const flow::Analysis& of, flow::NodeId node, const Optimizer& optimizer);

// The scalers whose scaled loss this backward call runs.
flow::Values scalers_of(const flow::Analysis& of, flow::NodeId backward);
// Made with enabled=False.
bool is_disabled(const flow::Analysis& of, const flow::Values& scalers);

// The name of a value that came in with one, for messages.
std::string called(const flow::Analysis& of, const flow::Values& values,
                   const std::string& otherwise);
// All the values a node reads.
flow::Values reads_of(const flow::Node& node);
// All it makes.
flow::Values results_of(const flow::Node& node);

}  // namespace forerun::rules
