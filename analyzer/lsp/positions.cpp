#include "analyzer/lsp/positions.h"

#include <algorithm>

#include "core/text.h"

namespace forerun::lsp {
namespace {

int units(std::string_view text, Encoding encoding) {
  return encoding == Encoding::Utf8 ? static_cast<int>(text.size()) : utf16_units(text);
}

}  // namespace

Lines::Lines(std::string_view text) : text_(text), starts_(line_starts(text)) {}

std::string_view Lines::line(int number) const {
  const auto index = static_cast<std::size_t>(number) - 1;
  const std::size_t begin = starts_[index];
  const std::size_t end = index + 1 < starts_.size() ? starts_[index + 1] - 1 : text_.size();
  std::string_view found = text_.substr(begin, end - begin);
  if (found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

Place Lines::place(Position at, Encoding encoding) const {
  const int last = static_cast<int>(starts_.size());
  if (at.line > last) return end_of_line(last, encoding);
  const int number = std::max(at.line, 1);
  const std::string_view whole = line(number);
  const auto before = static_cast<std::size_t>(std::max(at.column, 1) - 1);
  return {number - 1, units(whole.substr(0, std::min(before, whole.size())), encoding)};
}

Place Lines::end_of_line(int number, Encoding encoding) const {
  const int within = std::clamp(number, 1, static_cast<int>(starts_.size()));
  return {within - 1, units(line(within), encoding)};
}

}  // namespace forerun::lsp
