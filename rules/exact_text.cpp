#include "rules/exact_text.h"

namespace forerun::rules {
namespace {

// The text of a local name; empty for anything else.
std::string name_of(const ir::Operand& operand) {
  const auto* place = std::get_if<ir::Place>(&operand);
  return place != nullptr && place->steps.empty() ? to_string(operand) : std::string();
}

}  // namespace

std::optional<Location> place_in(const ir::Op& op, std::string_view spelled, int before_end) {
  const Location& at = op.at;
  const bool exact = at.begin.line == at.end.line && at.begin.column > 0 &&
                     at.end.column - at.begin.column == static_cast<int>(spelled.size());
  if (!exact) return std::nullopt;
  const Position place{at.end.line, at.end.column - before_end};
  return Location{at.file, place, place};
}

std::optional<Location> head_of(const ir::Op& op, std::size_t size, std::size_t skipped) {
  if (op.at.begin.column < 1) return std::nullopt;
  const int column = op.at.begin.column + static_cast<int>(skipped);
  return Location{
      op.at.file, {op.at.begin.line, column}, {op.at.begin.line, column + static_cast<int>(size)}};
}

std::optional<Location> tail_of(const ir::Op& op, std::size_t size) {
  const int column = op.at.end.column - static_cast<int>(size);
  if (op.at.end.line < 1 || column < 1) return std::nullopt;
  return Location{op.at.file, {op.at.end.line, column}, op.at.end};
}

std::optional<Location> behind_added(const ir::Op& op) {
  if (op.arguments.empty()) return std::nullopt;
  const std::string added = name_of(op.arguments.back().value);
  if (added.empty() || added.starts_with('%') || !op.arguments.back().name.empty())
    return std::nullopt;
  if (op.kind == ir::Kind::Arith && op.callee == "iadd" && op.results.size() == 1)
    return place_in(op, to_string(op.results.front()) + " += " + added);
  if (op.kind != ir::Kind::Append || op.arguments.size() != 1 || !op.receiver) return std::nullopt;
  for (const char* method : {"append", "push_back", "emplace_back"}) {
    const std::string spelled = to_string(*op.receiver) + "." + method + "(" + added + ")";
    if (const auto place = place_in(op, spelled, 1)) return place;
  }
  return std::nullopt;
}

}  // namespace forerun::rules
