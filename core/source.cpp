#include "core/source.h"

#include <fmt/format.h>

#include "core/result.h"

namespace forerun {

std::string to_string(const Location& at) {
  const std::string text = at.cell == 0 ? at.file : fmt::format("{}:cell {}", at.file, at.cell);
  if (at.begin.line == 0) return text;
  if (at.begin.column == 0) return fmt::format("{}:{}", text, at.begin.line);
  return fmt::format("{}:{}:{}", text, at.begin.line, at.begin.column);
}

std::string to_string(const Error& error) {
  std::string place = to_string(error.where);
  std::string text = place.empty() ? "error: " : place + ": error: ";
  text += error.message;
  if (!error.accepted.empty()) text += "\nhelp: " + error.accepted;
  return text;
}

}  // namespace forerun
