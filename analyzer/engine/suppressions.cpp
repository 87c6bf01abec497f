#include "analyzer/engine/suppressions.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>

#include "analyzer/engine/selection.h"

namespace forerun::engine {
namespace {

constexpr int kEndOfFile = std::numeric_limits<int>::max();
constexpr std::string_view kPrefix = "forerun-";

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> words(1);
  for (const char c : list) {
    if (c == ',' || std::isspace(static_cast<unsigned char>(c)) != 0) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  words.erase(std::remove(words.begin(), words.end(), std::string()), words.end());
  return words;
}

// The text between the brackets that open right at `at`; absent when none do.
std::optional<std::string_view> bracketed(std::string_view text, std::size_t at, char open,
                                          char close) {
  if (at >= text.size() || text[at] != open) return std::nullopt;
  const std::size_t end = text.find(close, at);
  return text.substr(at + 1, end == std::string_view::npos ? end : end - at - 1);
}

std::size_t find_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool begins = at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 &&
                                    text[at - 1] != '_');
    const std::size_t end = at + word.size();
    const bool ends =
        end >= text.size() ||
        (std::isalnum(static_cast<unsigned char>(text[end])) == 0 && text[end] != '_');
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

// NOLINT(a, forerun-b): the patterns that concern us; absent when it names only other tools'
// checks.
std::optional<Suppression> clang_tidy(std::string_view text, std::size_t after,
                                      const Location& at) {
  Suppression found;
  found.at = at;
  const auto list = bracketed(text, after, '(', ')');
  if (!list) return found;
  for (const std::string& word : split(*list)) {
    if (word == "*") return found;
    if (word.starts_with(kPrefix)) {
      found.rules.push_back(word.substr(kPrefix.size()));
      found.ours = true;
    }
  }
  if (found.rules.empty()) return std::nullopt;
  return found;
}

std::optional<Suppression> own_words(std::string_view text, const ir::Comment& comment) {
  const std::string low = lower(text);
  std::size_t at = low.find("forerun:");
  if (at == std::string::npos) return std::nullopt;
  at = low.find_first_not_of(' ', at + 8);
  if (at == std::string::npos || low.compare(at, 6, "ignore") != 0) return std::nullopt;
  const bool file = low.compare(at, 11, "ignore-file") == 0;
  Suppression found;
  found.at = comment.at;
  found.ours = true;
  if (const auto list = bracketed(text, at + (file ? 11 : 6), '[', ']')) found.rules = split(*list);
  found.first_line = file ? 0 : comment.at.begin.line;
  found.last_line = file ? kEndOfFile : comment.at.begin.line + (comment.own_line ? 1 : 0);
  return found;
}

std::optional<Suppression> noqa(std::string_view text, const ir::Comment& comment) {
  const std::string low = lower(text);
  const std::size_t at = find_word(low, "noqa");
  if (at == std::string::npos) return std::nullopt;
  // `ruff: noqa` and `flake8: noqa` speak to those tools about whole files.
  const std::string_view before = std::string_view(low).substr(0, at);
  if (before.find("ruff:") != std::string_view::npos ||
      before.find("flake8:") != std::string_view::npos)
    return std::nullopt;
  Suppression found;
  found.at = comment.at;
  found.first_line = found.last_line = comment.at.begin.line;
  std::size_t next = low.find_first_not_of(' ', at + 4);
  if (next == std::string::npos || low[next] != ':') return found;
  const std::vector<std::string> ids = rule_ids();
  for (const std::string& word : split(text.substr(next + 1))) {
    const bool known = std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
      return matches_rule(word, id, group_of(id));
    });
    if (known) found.rules.push_back(word);
  }
  if (found.rules.empty()) return std::nullopt;  // other tools' codes
  found.ours = true;
  return found;
}

class Collector {
 public:
  std::vector<Suppression> all;

  void python(const ir::Comment& comment) {
    if (auto found = own_words(comment.text, comment)) return all.push_back(*found);
    if (auto found = noqa(comment.text, comment)) all.push_back(*found);
  }

  void cpp(const ir::Comment& comment) {
    const std::string_view text = comment.text;
    if (auto found = own_words(text, comment)) return all.push_back(*found);
    const int line = comment.at.begin.line;
    if (const std::size_t at = find_word(text, "NOLINTBEGIN"); at != std::string_view::npos) {
      if (auto found = clang_tidy(text, at + 11, comment.at)) begin(*found, line);
    } else if (const std::size_t end = find_word(text, "NOLINTEND");
               end != std::string_view::npos) {
      if (auto found = clang_tidy(text, end + 9, comment.at)) finish(*found, line);
    } else if (const std::size_t next = find_word(text, "NOLINTNEXTLINE");
               next != std::string_view::npos) {
      if (auto found = clang_tidy(text, next + 14, comment.at)) add(*found, line + 1, line + 1);
    } else if (const std::size_t here = find_word(text, "NOLINT"); here != std::string_view::npos) {
      if (auto found = clang_tidy(text, here + 6, comment.at)) add(*found, line, line);
    }
  }

 private:
  void add(Suppression found, int first, int last) {
    found.first_line = first;
    found.last_line = last;
    all.push_back(std::move(found));
  }
  void begin(const Suppression& found, int line) {
    open_.push_back(all.size());
    add(found, line, kEndOfFile);
  }
  // Closes the latest open one that names the same rules.
  void finish(const Suppression& found, int line) {
    for (auto one = open_.rbegin(); one != open_.rend(); ++one) {
      if (all[*one].rules != found.rules) continue;
      all[*one].last_line = line;
      open_.erase(std::next(one).base());
      return;
    }
  }
  std::vector<std::size_t> open_;
};

}  // namespace

std::vector<Suppression> suppressions(const std::vector<ir::Comment>& comments,
                                      ir::Language language) {
  Collector collector;
  for (const ir::Comment& comment : comments) {
    if (language == ir::Language::Python) {
      collector.python(comment);
    } else {
      collector.cpp(comment);
    }
  }
  return std::move(collector.all);
}

bool is_suppressed(const Finding& finding, std::string_view group,
                   const std::vector<Suppression>& all) {
  const int first = finding.location.begin.line;
  // A comment at the end of a statement of several lines speaks for the statement.
  const int last = std::max(first, finding.location.end.line);
  bool silenced = false;
  for (const Suppression& one : all) {
    if (one.at.file != finding.location.file || one.last_line < first || one.first_line > last)
      continue;
    const bool named = std::any_of(
        one.rules.begin(), one.rules.end(),
        [&](const std::string& rule) { return matches_rule(rule, finding.rule_id, group); });
    if (!one.rules.empty() && !named) continue;
    one.used = true;
    silenced = true;
  }
  return silenced;
}

}  // namespace forerun::engine
