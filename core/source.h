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
  // Of a notebook: which cell, counted from 1 over all of them; lines count from the cell's first.
  // 0 in any other file.
  int cell = 0;

  auto operator<=>(const Location&) const = default;
};

// "train.py:41:9", "train.py" when the line is unknown, "" when the file is; in a notebook
// "train.ipynb:cell 3:12:5".
std::string to_string(const Location& at);

}  // namespace forerun
