// Places as editors count them: lines from 0, and characters in the units the client asked for.
#pragma once

#include <string_view>
#include <vector>

#include "core/source.h"

namespace forerun::lsp {

enum class Encoding { Utf8, Utf16 };  // LSP's positionEncoding; UTF-16 is what every client knows

struct Place {
  int line = 0;
  int character = 0;

  auto operator<=>(const Place&) const = default;
};

// The lines of a text, for turning our 1-based byte columns into places. The text must outlive it.
class Lines {
 public:
  explicit Lines(std::string_view text);
  // Places beyond a line or the text are its end.
  Place place(Position at, Encoding encoding) const;
  // The place after the last character of a line (from 1).
  Place end_of_line(int line, Encoding encoding) const;

 private:
  std::string_view line(int number) const;

  std::string_view text_;
  std::vector<std::size_t> starts_;
};

}  // namespace forerun::lsp
