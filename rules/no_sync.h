// DistributedDataParallel's no_sync() scopes, and in which rounds of a loop they are active.
#pragma once

#include <optional>

#include "rules/rule.h"

namespace forerun::rules {

struct NoSync {
  flow::NodeId scope = flow::kNone;
  flow::NodeId chosen = flow::kNone;  // where the context is made or chosen: the call, the select
  flow::Values model;
  // with nullcontext() if c else model.no_sync(): the condition, and the side that does not sync.
  const ir::Operand* condition = nullptr;
  flow::Values condition_values;
  bool when = true;
};
std::optional<NoSync> no_sync_around(const flow::Analysis& of, flow::NodeId node);

// Is the node met in round i of the loop, as far as the conditions over it tell? Conditions are
// computed with the loop's counter at i and the one other number in them at k.
std::optional<bool> met_in_round(const flow::Analysis& of, flow::LoopId loop, flow::NodeId node,
                                 long i, long k);
std::optional<bool> active_in_round(const flow::Analysis& of, flow::LoopId loop,
                                    const NoSync& scope, long i, long k);
// The bound of a counted loop, with the one unknown number in it at k.
std::optional<long> rounds_of(const flow::Analysis& of, flow::LoopId loop, long k);

}  // namespace forerun::rules
