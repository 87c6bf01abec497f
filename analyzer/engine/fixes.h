// Puts the fixes that findings carry into the text they were found in.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/engine/baseline.h"
#include "core/finding.h"

namespace forerun::engine {

struct Fixed {
  Texts texts;  // of the files that change, as they are to be
  // Of the notebooks that change: their cells by number.
  std::map<std::string, std::map<int, std::string>> cells;
  std::string diff;  // the same as a unified diff with three lines of context
  int applied = 0;
  // Left for another run: a fix that touches text which another fix of this run changes, or that
  // names a place outside the text.
  int left = 0;
};

// Takes the fixes away that expect another text than what is there (Fix::was), all of a finding
// together; those that stay cover what they change and expect nothing any more.
void keep_certain_fixes(std::vector<Finding>& findings, const Texts& texts);

// A finding's fixes are applied all together or not at all; findings come in order of their place.
// Files without a text in `texts` are left alone.
Fixed apply_fixes(const std::vector<Finding>& findings, const Texts& texts);

}  // namespace forerun::engine
