#include "analyzer/engine/magics.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace forerun::engine {
namespace {

// Cell magics whose body is Python.
constexpr std::array<std::string_view, 10> kPythonCells = {
    "capture", "debug", "ipytest", "prun", "pypy", "python", "python3", "time", "timeit", "mprun"};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; }
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Cell {
 public:
  explicit Cell(std::string_view text) : text_(text) {}

  std::string harmless() {
    if (!cell_magic()) {
      while (at_ < text_.size()) logical_line();
    }
    return std::move(text_);
  }

 private:
  std::size_t line_end(std::size_t from) const {
    return std::min(text_.find('\n', from), text_.size());
  }
  std::size_t skip_blanks(std::size_t from) const {
    while (from < text_.size() && is_blank(text_[from])) ++from;
    return from;
  }
  std::size_t before_blanks(std::size_t from, std::size_t end) const {
    while (end > from && is_blank(text_[end - 1])) --end;
    return end;
  }
  void blank(std::size_t from, std::size_t to) {
    for (; from < to; ++from) {
      if (text_[from] != '\n' && text_[from] != '\r') text_[from] = ' ';
    }
  }

  // True when the cell is not Python and all of it is blank now.
  bool cell_magic() {
    const std::size_t first = text_.find_first_not_of(" \t\r\n\f");
    if (first == std::string::npos || text_.compare(first, 2, "%%") != 0) return false;
    std::size_t end = first + 2;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string_view name(text_.data() + first + 2, end - first - 2);
    const bool python =
        std::find(kPythonCells.begin(), kPythonCells.end(), name) != kPythonCells.end();
    const std::size_t until = python ? line_end(first) : text_.size();
    blank(0, until);
    at_ = until;
    return !python;
  }

  // The end of a shell line or magic that begins at `from`: backslashes carry it on.
  std::size_t carried_end(std::size_t from) const {
    while (true) {
      const std::size_t end = line_end(from);
      const std::size_t last = before_blanks(from, end);
      if (end >= text_.size() || last == from || text_[last - 1] != '\\') return end;
      from = end + 1;
    }
  }

  void neutralise(std::size_t from) {
    const std::size_t end = carried_end(from);
    blank(from, end);
    text_[from] = '0';
    at_ = end;
  }

  bool begins_escape(std::size_t from) const {
    if (from >= text_.size()) return false;
    if (text_[from] == '!' || text_[from] == '?') return true;
    // `% x` continues nothing at the start of a line, and is no magic either.
    return text_[from] == '%' && from + 1 < text_.size() &&
           (is_word(text_[from + 1]) || text_[from + 1] == '%');
  }

  // `model.fit?`, `fit??`: a name and nothing else.
  bool is_question(std::size_t from) const {
    const std::size_t end = line_end(from);
    std::size_t last = before_blanks(from, end);
    if (last == from || text_[last - 1] != '?') return false;
    while (last > from && text_[last - 1] == '?') --last;
    return last > from && std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(from),
                                      text_.begin() + static_cast<std::ptrdiff_t>(last),
                                      [](char c) { return is_word(c) || c == '.' || c == '*'; });
  }

  // From the start of a logical line to the start of the next.
  void logical_line() {
    const std::size_t first = skip_blanks(at_);
    if (begins_escape(first) || is_question(first)) {
      neutralise(first);
    } else {
      at_ = first;
      python_line();
    }
    at_ = std::min(at_ + 1, text_.size());  // past the line's end
  }

  // To the end of a logical line of Python: brackets, strings and backslashes carry it on.
  void python_line() {
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n' && depth <= 0) return;
      if (c == '#') {
        at_ = line_end(at_);
        continue;
      }
      if (c == '"' || c == '\'') {
        string(c);
        continue;
      }
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
      if (c == '=' && depth == 0 && assigns_escape()) return;
      at_ += c == '\\' ? 2 : 1;
    }
    at_ = text_.size();
  }

  // `files = !ls` and `x = %magic`, but not `x == …` or `x %= y`.
  bool assigns_escape() {
    const std::size_t value = skip_blanks(at_ + 1);
    if (value >= text_.size() || text_[value] == '?' || !begins_escape(value)) return false;
    if (text_[value] == '!' && value + 1 < text_.size() && text_[value + 1] == '=') return false;
    neutralise(value);
    return true;
  }

  void string(char quote) {
    const std::string triple(3, quote);
    const bool is_long = text_.compare(at_, 3, triple) == 0;
    at_ += is_long ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\') {
        at_ += 2;
        continue;
      }
      if (is_long ? text_.compare(at_, 3, triple) == 0 : text_[at_] == quote) break;
      if (!is_long && text_[at_] == '\n') return;  // never closed
      ++at_;
    }
    at_ = std::min(at_ + (is_long ? 3 : 1), text_.size());
  }

  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string without_magics(std::string_view cell) { return Cell(cell).harmless(); }

}  // namespace forerun::engine
