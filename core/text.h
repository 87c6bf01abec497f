// Numbers in text; lines, UTF-16 and percent escapes of UTF-8 text, as editors and report formats
// count and write them.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/source.h"

namespace forerun {

// The number that the whole text spells; no '+' before it, no spaces around it.
template <class Number>
std::optional<Number> to_number(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// The offset at which each line begins. A text that ends with a line end has an empty last line.
std::vector<std::size_t> line_starts(std::string_view text);

// The place of a byte, for errors of parsers that only count bytes.
Position position_of(std::string_view text, std::size_t offset);

// The UTF-16 code units that UTF-8 text takes; a character that begins in it counts whole.
int utf16_units(std::string_view text);

// The text with U+FFFD for every byte that is in no character of UTF-8 (Unicode 15, table 3-7: no
// overlong forms, no surrogates). What is UTF-8 comes back as it is.
std::string valid_utf8(std::string_view text);

// Letters, digits and the characters of `kept` as they are, every other byte as %XX (RFC
// 3986, 2.1).
std::string percent_encoded(std::string_view text, std::string_view kept);

}  // namespace forerun
