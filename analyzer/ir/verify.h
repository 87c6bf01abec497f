// What holds of every Program, whichever front end made it. Front ends test their output with it.
#pragma once

#include <vector>

#include "analyzer/ir/ir.h"
#include "core/result.h"

namespace forerun::ir {

// Every broken invariant, in program order; empty when all hold:
//   - an assignment has one result and one value; a store a key and a value; an append something to
//   append
//   - a temporary is made once, before it is used, in its own function or one around it
//   - break and continue stand in a loop; a counted loop and a loop over elements name what bounds
//   them
//   - only a `while` has a head; names are not empty; a definition has its function
std::vector<Error> verify(const Program& program);

}  // namespace forerun::ir
