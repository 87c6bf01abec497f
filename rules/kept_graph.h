// What graph-kept-accumulator and graph-kept-container ask alike: does what outlives a round of a
// loop keep graphs alive?
#pragma once

#include <optional>
#include <vector>

#include "rules/rule.h"

namespace forerun::rules {

// Somebody trains, or evaluates, or reads what was collected.
inline constexpr Kinds kKeepsGraphs =
    kinds(ir::Kind::Backward, ir::Kind::Step, ir::Kind::ScalerStep, ir::Kind::AutogradGrad,
          ir::Kind::EvalMode);

// A value that takes something in every round of a loop: total += loss, xs = cat([xs, x]).
struct Accumulation {
  flow::NodeId node = flow::kNone;
  flow::LoopId loop = flow::kNone;
  flow::Values stored;     // what is taken in, with its graph
  flow::Values collector;  // what grows
  bool concatenates = false;
};
std::vector<Accumulation> accumulations(const flow::Analysis& of);

// Error when the graphs kept are whole (never run backward, or retained), Warning when backward
// freed what they saved, nothing when the collector is run backward itself, or may be by code that
// is not seen.
std::optional<Level> kept(const flow::Analysis& of, const flow::Values& stored,
                          const flow::Values& collector, flow::NodeId at, flow::LoopId loop);

// "'loss'", or "a tensor with its graph" for a value without a name.
std::string described(const ir::Operand& operand);

}  // namespace forerun::rules
