#include "analyzer/engine/selection.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/nearest.h"
#include "rules/catalog.h"

namespace forerun::engine {

std::vector<std::string> rule_ids() {
  std::vector<std::string> ids{std::string(kUnusedSuppression)};
  for (const rules::CatalogEntry& entry : rules::catalog()) ids.emplace_back(entry.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::string_view group_of(std::string_view id) {
  for (const rules::CatalogEntry& entry : rules::catalog()) {
    if (entry.id == id) return entry.group;
  }
  return "";
}

bool matches_glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0;
  std::size_t star = std::string_view::npos, star_text = 0;
  bool deep = false;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      deep = p + 1 < pattern.size() && pattern[p + 1] == '*';
      star = p;
      p += deep ? 2 : 1;
      if (deep && p < pattern.size() && pattern[p] == '/') ++p;
      star_text = t;
    } else if (p < pattern.size() &&
               (pattern[p] == text[t] || (pattern[p] == '?' && text[t] != '/'))) {
      ++p, ++t;
    } else if (star != std::string_view::npos && (deep || text[star_text] != '/')) {
      t = ++star_text;
      p = star + (deep ? 2 : 1);
      if (deep && p < pattern.size() && pattern[p] == '/') ++p;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool matches_path(std::string_view pattern, std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  if (pattern.starts_with("./")) pattern.remove_prefix(2);
  if (matches_glob(pattern, path)) return true;
  if (pattern.ends_with("/")) pattern.remove_suffix(1);
  // A folder's name stands for all below it, and a pattern may begin at any component.
  for (std::size_t from = 0; from != std::string_view::npos && from < path.size();) {
    const std::string_view rest = path.substr(from);
    for (std::size_t to = rest.find('/'); to != std::string_view::npos;
         to = rest.find('/', to + 1)) {
      if (matches_glob(pattern, rest.substr(0, to))) return true;
    }
    if (matches_glob(pattern, rest)) return true;
    const std::size_t slash = path.find('/', from);
    from = slash == std::string_view::npos ? slash : slash + 1;
  }
  return false;
}

bool matches_rule(std::string_view pattern, std::string_view id, std::string_view group) {
  if (pattern == "all" || pattern == id || (!group.empty() && pattern == group)) return true;
  if (pattern.ends_with("-") && id.starts_with(pattern)) return true;
  if (matches_glob(pattern, id)) return true;
  return !group.empty() && pattern.find('/') != std::string_view::npos &&
         matches_glob(pattern, std::string(group) + "/" + std::string(id));
}

std::optional<Level> level_from_name(std::string_view text) {
  for (const Level level : {Level::Note, Level::Warning, Level::Error}) {
    if (text == name(level)) return level;
  }
  return std::nullopt;
}

namespace {

Status check_rule_pattern(const Settings::Word& word) {
  for (const std::string& id : rule_ids()) {
    if (matches_rule(word.text, id, group_of(id))) return Done{};
  }
  return error_at(word.at, fmt::format("no rule matches '{}'", word.text),
                  suggest(word.text, rule_ids()));
}

}  // namespace

Status check_settings(const Settings& settings) {
  std::vector<const Settings::Word*> words;
  for (const Settings::Word& word : settings.select) words.push_back(&word);
  for (const Settings::Word& word : settings.ignore) words.push_back(&word);
  for (const auto& [word, level] : settings.severity) words.push_back(&word);
  for (const auto& [path, rules] : settings.per_file_ignores) {
    for (const Settings::Word& word : rules) words.push_back(&word);
  }
  for (const Settings::Word* word : words) {
    if (const Status known = check_rule_pattern(*word); !known) return known;
  }
  return Done{};
}

namespace {

bool any_matches(const std::vector<Settings::Word>& words, std::string_view id,
                 std::string_view group) {
  return std::any_of(words.begin(), words.end(), [&](const Settings::Word& word) {
    return matches_rule(word.text, id, group);
  });
}

}  // namespace

bool Selection::runs(std::string_view id, std::string_view group) const {
  return (settings_.select.empty() || any_matches(settings_.select, id, group)) &&
         !any_matches(settings_.ignore, id, group);
}

bool Selection::reports(std::string_view id, std::string_view group, std::string_view path) const {
  for (const auto& [pattern, rules] : settings_.per_file_ignores) {
    if (matches_path(pattern.text, path) && any_matches(rules, id, group)) return false;
  }
  return true;
}

Level Selection::level(std::string_view id, std::string_view group, Level found) const {
  for (const auto& [word, level] : settings_.severity) {
    if (matches_rule(word.text, id, group)) found = level;  // the last word counts
  }
  return found;
}

bool Selection::excludes(std::string_view path) const {
  return std::any_of(settings_.exclude.begin(), settings_.exclude.end(),
                     [&](const Settings::Word& word) { return matches_path(word.text, path); });
}

bool Selection::fails(Level level) const {
  return !settings_.fail_never && level >= settings_.fail_on.value_or(Level::Warning);
}

std::string Selection::fingerprint() const {
  std::string text;
  auto add = [&](std::string_view word) { text += fmt::format("{}:{}", word.size(), word); };
  auto words = [&](char what, const std::vector<Settings::Word>& all) {
    text += what;
    for (const Settings::Word& one : all) add(one.text);
  };
  words('+', settings_.select);
  words('-', settings_.ignore);
  for (const auto& [rule, level] : settings_.severity) {
    text += fmt::format("={}", static_cast<int>(level));
    add(rule.text);
  }
  for (const auto& [path, rules] : settings_.per_file_ignores) {
    text += '@';
    add(path.text);
    words('-', rules);
  }
  return text;
}

}  // namespace forerun::engine
