// Runs the rules over a program.
#pragma once

#include <vector>

#include "analyzer/engine/selection.h"
#include "analyzer/ir/ir.h"
#include "core/finding.h"

namespace forerun::engine {

struct Checked {
  std::vector<Finding> findings;   // sorted, without doubles, suppressed ones left out
  std::vector<std::string> notes;  // what could not be judged, said aloud
  int suppressed = 0;
  // Comments of linked files that silenced something: they are not unused, whatever their own file
  // says of them.
  std::vector<Location> silencing;
};

// Whether rules are spared what they say cannot concern them (Rule::needs, Rule::trigger). The
// findings are the same; tests hold rules to it.
enum class Thoroughness { WhatConcerns, Everything };

// Pure: the same program and selection give the same findings.
Checked check(const ir::Program& program, const Selection& selection,
              Thoroughness thoroughness = Thoroughness::WhatConcerns);

// By file, position, rule; of two that say the same of one place (a header seen from two
// translation units, a function seen from two callers) the graver one stays.
void sort_and_merge(std::vector<Finding>& findings);

}  // namespace forerun::engine
