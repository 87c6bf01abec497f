// One finding of the analyzer; field names follow SARIF 2.1.0.
#pragma once

#include <string>
#include <vector>

#include "core/source.h"

namespace forerun {

enum class Level { Note, Warning, Error };

// A replacement of the bytes between two positions, offered only where the text is certain.
struct Fix {
  std::string description;
  Location where;
  std::string replacement;
  // What the text must say at `where`, on one line, for the fix to be offered, quotes of either
  // kind; empty: it is known.
  std::string was = {};
};

struct Finding {
  std::string rule_id;
  Level level = Level::Warning;
  Location location;
  std::string message;  // stands alone in one line: lower-case start, no final period
  struct Related {
    Location location;
    std::string message;
  };
  std::vector<Related> related;  // printed as `note:` lines
  std::string help;              // the cure, the only line with an imperative; may be empty
  std::vector<Fix> fixes;
};

std::string_view name(Level level);  // SARIF: "note", "warning", "error"

}  // namespace forerun
