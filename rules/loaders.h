// Data loaders: where they are made, how, and which loops they feed.
#pragma once

#include <string>
#include <vector>

#include "rules/rule.h"

namespace forerun::rules {

struct LoaderUse {
  flow::NodeId made = flow::kNone;
  flow::LoopId loop = flow::kNone;  // that takes its batches
};
// DataLoader(...) in Python, make_data_loader(...) in C++, which the IR writes the same, with every
// loop over it.
std::vector<LoaderUse> loader_uses(const flow::Analysis& of);

// Rounds of the loop run backward or step an optimizer.
bool is_training_loop(const flow::Analysis& of, flow::LoopId loop);

// The class of the data set, where it is one of the program or of a library; else empty.
std::string dataset_class(const flow::Analysis& of, flow::NodeId loader);
// Its order is its own business: iterable data sets.
bool is_iterable_dataset(const flow::Analysis& of, flow::NodeId loader);
bool is_given(const ir::Op& loader, const char* argument, std::size_t position);
bool is_literal_false(const ir::Op& loader, const char* argument, std::size_t position);
bool has_open_arguments(const ir::Op& op);  // *args, **options
// The name of the loader or of its data says it is for evaluation.
bool is_for_evaluation(const flow::Analysis& of, flow::NodeId loader);

}  // namespace forerun::rules
