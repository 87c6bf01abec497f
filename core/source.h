// Places in files, as every message names them.
#pragma once

#include <compare>
#include <string>

namespace forerun {

// 1-based; 0 means unknown. Columns count bytes.
struct Position {
  int line = 0;
  int column = 0;

  auto operator<=>(const Position&) const = default;
};

struct Location {
  std::string file;  // as the user named it, or relative to the working directory
  Position begin;
  Position end;  // one past the last byte; {0, 0} when only the beginning is known

  auto operator<=>(const Location&) const = default;
};

// "train.py:41:9", "train.py" when the line is unknown, "" when the file is.
std::string to_string(const Location& at);

}  // namespace forerun
