#include "analyzer/engine/fixes.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/text.h"

namespace forerun::engine {
namespace {

struct Edit {
  std::size_t begin = 0, end = 0;  // bytes of the old text
  std::string replacement;

  bool touches(const Edit& other) const { return begin <= other.end && other.begin <= end; }
};

// Where each line begins, an empty last one left out, and the end of the text.
std::vector<std::size_t> bounds_of_lines(std::string_view text) {
  std::vector<std::size_t> bounds = line_starts(text);
  if (bounds.back() != text.size()) bounds.push_back(text.size());
  return bounds;
}

std::optional<std::size_t> offset(const std::vector<std::size_t>& starts, Position at) {
  if (at.line < 1 || at.column < 1 || static_cast<std::size_t>(at.line) >= starts.size())
    return std::nullopt;
  const std::size_t line = static_cast<std::size_t>(at.line);
  const std::size_t place = starts[line - 1] + static_cast<std::size_t>(at.column) - 1;
  if (place > starts[line]) return std::nullopt;
  return place;
}

// The edits of one file, sorted, none touching another.
class File {
 public:
  explicit File(const std::string& text) : text_(text), starts_(bounds_of_lines(text)) {}

  std::optional<Edit> edit(const Fix& fix) const {
    const auto begin = offset(starts_, fix.where.begin);
    const auto end = offset(starts_, fix.where.end.line == 0 ? fix.where.begin : fix.where.end);
    if (!begin || !end || *end < *begin) return std::nullopt;
    return Edit{*begin, *end, fix.replacement};
  }
  bool is_free(const Edit& wanted) const {
    return std::none_of(edits_.begin(), edits_.end(),
                        [&](const Edit& taken) { return wanted.touches(taken); });
  }
  void take(Edit edit) {
    edits_.insert(std::upper_bound(edits_.begin(), edits_.end(), edit,
                                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; }),
                  std::move(edit));
  }
  bool changes() const { return !edits_.empty(); }

  std::string text() const { return between(0, text_.size(), 0, edits_.size()); }
  std::string diff(const std::string& path) const;

 private:
  static constexpr std::size_t kContext = 3;

  // A run of edits whose lines are near enough to share a hunk.
  struct Hunk {
    std::size_t first_edit, last_edit;  // [first, last)
    std::size_t first_line, last_line;  // [first, last), from 0, context included
  };

  std::size_t line_of(std::size_t place) const {
    const auto after = std::upper_bound(starts_.begin(), starts_.end() - 1, place);
    return static_cast<std::size_t>(after - starts_.begin()) - 1;
  }
  std::size_t lines() const { return starts_.size() - 1; }
  std::string between(std::size_t from, std::size_t to, std::size_t first, std::size_t last) const;
  std::vector<Hunk> hunks() const;
  std::string render(const Hunk& hunk, std::ptrdiff_t& shift) const;

  const std::string& text_;
  std::vector<std::size_t> starts_;
  std::vector<Edit> edits_;
};

std::string File::between(std::size_t from, std::size_t to, std::size_t first,
                          std::size_t last) const {
  std::string result;
  for (std::size_t i = first; i < last; ++i) {
    result.append(text_, from, edits_[i].begin - from);
    result += edits_[i].replacement;
    from = edits_[i].end;
  }
  return result.append(text_, from, to - from);
}

std::vector<File::Hunk> File::hunks() const {
  std::vector<Hunk> result;
  for (std::size_t i = 0; i < edits_.size(); ++i) {
    const std::size_t first = line_of(edits_[i].begin), last = line_of(edits_[i].end) + 1;
    const std::size_t from = first < kContext ? 0 : first - kContext;
    const std::size_t to = std::min(last + kContext, lines());
    if (!result.empty() && from <= result.back().last_line) {
      result.back().last_edit = i + 1;
      result.back().last_line = to;
    } else {
      result.push_back({i, i + 1, from, to});
    }
  }
  return result;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

void put(std::string& into, char sign, std::string_view line) {
  into += sign;
  into += line;
  if (!line.ends_with('\n')) into += "\n\\ No newline at end of file\n";
}

std::string range(std::size_t first, std::size_t count) {
  const std::size_t shown = count == 0 ? first : first + 1;
  return count == 1 ? fmt::format("{}", shown) : fmt::format("{},{}", shown, count);
}

// What begins and ends the same on both sides is context; what lies between is taken out and put
// in.
std::string File::render(const Hunk& hunk, std::ptrdiff_t& shift) const {
  const std::size_t from = starts_[hunk.first_line], to = starts_[hunk.last_line];
  const std::string after = between(from, to, hunk.first_edit, hunk.last_edit);
  const auto old_lines = split_lines(std::string_view(text_).substr(from, to - from));
  const auto new_lines = split_lines(after);
  const std::size_t least = std::min(old_lines.size(), new_lines.size());
  std::size_t head = 0, tail = 0;
  while (head < least && old_lines[head] == new_lines[head]) ++head;
  while (tail < least - head &&
         old_lines[old_lines.size() - 1 - tail] == new_lines[new_lines.size() - 1 - tail])
    ++tail;
  const auto new_first =
      static_cast<std::size_t>(static_cast<std::ptrdiff_t>(hunk.first_line) + shift);
  std::string text = fmt::format("@@ -{} +{} @@\n", range(hunk.first_line, old_lines.size()),
                                 range(new_first, new_lines.size()));
  for (std::size_t i = 0; i < head; ++i) put(text, ' ', old_lines[i]);
  for (std::size_t i = head; i < old_lines.size() - tail; ++i) put(text, '-', old_lines[i]);
  for (std::size_t i = head; i < new_lines.size() - tail; ++i) put(text, '+', new_lines[i]);
  for (std::size_t i = old_lines.size() - tail; i < old_lines.size(); ++i)
    put(text, ' ', old_lines[i]);
  shift +=
      static_cast<std::ptrdiff_t>(new_lines.size()) - static_cast<std::ptrdiff_t>(old_lines.size());
  return text;
}

std::string File::diff(const std::string& path) const {
  std::string text = fmt::format("--- {0}\n+++ {0}\n", path);
  std::ptrdiff_t shift = 0;
  for (const Hunk& hunk : hunks()) text += render(hunk, shift);
  return text;
}

class Fixer {
 public:
  explicit Fixer(const Texts& texts) : texts_(texts) {}

  bool apply(const Finding& finding) {
    Edits edits;
    for (const Fix& fix : finding.fixes) {
      File* file = file_of(fix.where);
      auto edit = file == nullptr ? std::nullopt : file->edit(fix);
      if (!edit || !file->is_free(*edit) || touches(edits, file, *edit)) return false;
      edits.emplace_back(file, std::move(*edit));
    }
    for (auto& [file, edit] : edits) file->take(std::move(edit));
    return true;
  }

  void finish(Fixed& into) const {
    for (const auto& [where, file] : files_) {
      if (!file.changes()) continue;
      const auto& [path, cell] = where;
      (cell == 0 ? into.texts[path] : into.cells[path][cell]) = file.text();
      into.diff += file.diff(text_name({path, {}, {}, cell}));
    }
  }

 private:
  using Edits = std::vector<std::pair<File*, Edit>>;

  static bool touches(const Edits& edits, const File* file, const Edit& wanted) {
    return std::any_of(edits.begin(), edits.end(), [&](const auto& one) {
      return one.first == file && one.second.touches(wanted);
    });
  }

  File* file_of(const Location& at) {
    const auto text = texts_.find(text_name(at));
    if (text == texts_.end()) return nullptr;
    return &files_.try_emplace({at.file, at.cell}, text->second).first->second;
  }

  const Texts& texts_;
  std::map<std::pair<std::string, int>, File> files_;  // by path and cell: what a fix named
};

// Either kind of quote writes a text.
bool says(std::string_view text, std::string_view expected) {
  return std::equal(text.begin(), text.end(), expected.begin(), expected.end(),
                    [](char a, char b) { return a == b || (a == '\'' && b == '"'); });
}

bool is_certain(const Fix& fix, const Texts& texts) {
  if (fix.was.empty()) return true;
  const auto found = texts.find(text_name(fix.where));
  if (found == texts.end()) return false;
  const std::string_view text = found->second;
  const std::vector<std::size_t> starts = bounds_of_lines(text);
  const auto begin = offset(starts, fix.where.begin), end = offset(starts, fix.where.end);
  return begin && end && *begin <= *end && says(text.substr(*begin, *end - *begin), fix.was);
}

// What stays at either end is left out of the fix: it keeps its quotes.
void narrow(Fix& fix) {
  const std::string &was = fix.was, &now = fix.replacement;
  const std::size_t shorter = std::min(was.size(), now.size());
  std::size_t head = 0, tail = 0;
  while (head < shorter && was[head] == now[head]) ++head;
  while (tail < shorter - head && was[was.size() - 1 - tail] == now[now.size() - 1 - tail]) ++tail;
  fix.where.begin.column += static_cast<int>(head);
  fix.where.end.column -= static_cast<int>(tail);
  fix.replacement = now.substr(head, now.size() - head - tail);
  fix.was.clear();
}

}  // namespace

void keep_certain_fixes(std::vector<Finding>& findings, const Texts& texts) {
  for (Finding& finding : findings) {
    const bool certain = std::all_of(finding.fixes.begin(), finding.fixes.end(),
                                     [&](const Fix& fix) { return is_certain(fix, texts); });
    if (!certain) finding.fixes.clear();
    for (Fix& fix : finding.fixes) {
      if (!fix.was.empty()) narrow(fix);
    }
  }
}

Fixed apply_fixes(const std::vector<Finding>& findings, const Texts& texts) {
  Fixer fixer(texts);
  Fixed fixed;
  for (const Finding& finding : findings) {
    if (finding.fixes.empty()) continue;
    ++(fixer.apply(finding) ? fixed.applied : fixed.left);
  }
  fixer.finish(fixed);
  return fixed;
}

}  // namespace forerun::engine
