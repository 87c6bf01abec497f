// Training and evaluation mode as facts of modules: which module's mode a call changes, whom that
// concerns, and whether the mode makes a difference at all.
#pragma once

#include "rules/rule.h"

namespace forerun::rules {

// One of `parts` is one of `wholes`, a member or an element of it, or the same behind a wrapper
// (DataParallel, compile): what is done to the whole is done to the part.
bool is_within(const flow::Analysis& of, const flow::Values& parts, const flow::Values& wholes);

// The node puts a module that the given ones are, or are part of, in training or evaluation mode.
bool sets_training(const flow::Analysis& of, flow::NodeId node, const flow::Values& modules);
bool sets_evaluation(const flow::Analysis& of, flow::NodeId node, const flow::Values& modules);

// Part of another module's forward.
bool is_inside_a_forward(const flow::Analysis& of, flow::NodeId node);

// A forward whose result is run backward.
bool is_training_forward(const flow::Analysis& of, flow::NodeId forward);

// Dropout, batch normalisation, or a read of the mode. Yes: seen in the program, or it takes models
// from where they have such layers. No: the program's own models have none.
enum class ModeMatters { No, Maybe, Yes };
ModeMatters mode_matters(const ir::Program& program);
bool has_batch_norm(const ir::Program& program);

// The code around the node evaluates, by the names of its functions and of what its loops take.
bool is_evaluation_code(const flow::Analysis& of, flow::NodeId node);

}  // namespace forerun::rules
