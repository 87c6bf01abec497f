// Questions about a gradient scaler's protocol: scale, unscale, step, update.
#pragma once

#include "rules/training.h"

namespace forerun::rules {

// update() of the scaler, or code that is not seen and could call it.
bool updates(const flow::Analysis& of, flow::NodeId node, const flow::Values& scaler);
bool updates_somewhere(const flow::Analysis& of, const flow::Values& scaler);

// The optimizer is one of several that a loop goes through (`for opt in optimizers`), so the same
// operation is about another one each time.
bool is_one_of_many(const flow::Analysis& of, const flow::Values& optimizer);

}  // namespace forerun::rules
