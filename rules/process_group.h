// Training by several processes, and gradients that a program reduces over them itself: C++ has no
// DistributedDataParallel, its programs hand them to a c10d::ProcessGroup.
#pragma once

#include <optional>
#include <vector>

#include "rules/rule.h"

namespace forerun::rules {

// Where the program says that several processes run it: DistributedDataParallel anywhere in Python,
// in C++ a process group or MPI_Init in what this entry point runs. `groups`: a process group that
// is set up in Python counts, too.
std::optional<Location> several_processes(const flow::Analysis& of, bool groups);

// The allreduce calls that gradients are given to.
std::vector<flow::NodeId> gradient_reductions(const flow::Analysis& of);

}  // namespace forerun::rules
