// Calls to functions of other files of the run, followed: what they define is added to the calling
// program.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "analyzer/ir/ir.h"
#include "analyzer/link/modules.h"

namespace forerun::link {

// The program of a file of the run, or null: it cannot be read, or is not worth reading.
using Programs = std::function<std::shared_ptr<const ir::Program>(const std::string& file)>;

// Adds to program.linked the functions and classes that it imports and calls, and those that they
// call, as far as they do something of the training protocol (kinds up to requires_grad): the rest
// tells a caller nothing. A call of one carries its unique name as callee. Left alone:
//   - all of it, when neither the program nor what it calls runs backward or steps an optimizer;
//   - values of imported functions (callbacks), methods named through the class;
//   - what reads a global of its file that this program has a name for too;
//   - what comes after kMostLinked definitions.
void link(ir::Program& program, const Modules& modules, const Programs& programs);

inline constexpr std::size_t kMostLinked = 200;

// Whether link() needs to look into a file of this text at all: it has words of the training
// protocol, or hands on what other files define.
bool is_worth_reading(std::string_view file, std::string_view text);

}  // namespace forerun::link
