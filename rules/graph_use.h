// What happens to an autograd graph after a backward call, and which values carry one from round to
// round.
#pragma once

#include "rules/training.h"

namespace forerun::rules {

// Another backward runs through part of the graph, the same one does in a later round, or code that
// is not seen gets hold of it.
bool graph_is_used_again(const flow::Analysis& of, flow::NodeId backward);

// The forward's result comes back to it as an argument, with its graph, over the rounds of a loop.
bool feeds_itself(const flow::Analysis& of, flow::NodeId forward);

// Everything with a graph that the values were computed from, over steps that carry a gradient.
flow::Values attached_sources(const flow::Analysis& of, const flow::Values& values);

}  // namespace forerun::rules
