// A parsed translation unit to an ir::Program.
#pragma once

#include "analyzer/cpp/parse.h"
#include "analyzer/ir/ir.h"

namespace forerun::cpp {

// Fills `program` with what the user's files of the unit hold: functions and classes in source
// order, comments, includes.
void lower_unit(const Unit& unit, ir::Program& program);

}  // namespace forerun::cpp
