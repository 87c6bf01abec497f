// Comments that ask for silence, in the words each language's users know.
//
//   C++:    // NOLINT   // NOLINT(forerun-ID, forerun-*)   // NOLINTNEXTLINE(...)   //
//   NOLINTBEGIN(...) ... // NOLINTEND(...) Python: # noqa   # noqa: ID, ID   # forerun: ignore[ID,
//   ID] (alone on its line: for the next one)   # forerun: ignore-file[ID] `forerun: ignore` works
//   in C++ too.
#pragma once

#include <string>
#include <vector>

#include "analyzer/ir/ir.h"
#include "core/finding.h"

namespace forerun::engine {

struct Suppression {
  std::vector<std::string> rules;     // patterns; empty: every rule
  Location at;                        // of the comment
  int first_line = 0, last_line = 0;  // the lines it silences
  bool ours = false;                  // names our rules, so that it can be said to be unused
  mutable bool used = false;
};

std::vector<Suppression> suppressions(const std::vector<ir::Comment>& comments,
                                      ir::Language language);

// The finding's own lines are silenced, marks what silenced it as used.
bool is_suppressed(const Finding& finding, std::string_view group,
                   const std::vector<Suppression>& all);

}  // namespace forerun::engine
