// What names tell that the IR's kinds do not: calls that change nothing, operations without a
// derivative, frameworks that own the training loop. One table each.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyzer/ir/ir.h"

namespace forerun::flow {

// A call that neither changes nor keeps what it is given: isinstance, len, zip, record_function,
// logging, ...
bool is_harmless(std::string_view callee);

// A harmless call whose result is made of what it is given: sum, max, list, sorted, zip, tqdm, ...
bool passes_through(std::string_view callee);

// False for operations whose result carries no gradient: argmax, eq, randint, one_hot, ... and for
// comparisons and logic among the operators. Op::details "differentiable" = "false" says so too.
bool is_differentiable(const ir::Op& op);

// Modules without parameters: ReLU, Softmax, Dropout, MaxPool2d, ...
bool has_no_parameters(std::string_view module_class);

// The framework that runs the training loop of this program, if one does: it clears, scales, steps
// and synchronises itself, so rules about those are moot. From imports, and from Trainer classes
// where an import alone says little.
std::optional<std::string> framework(const ir::Program& program);

}  // namespace forerun::flow
