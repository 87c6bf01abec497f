// Which rules run, at which level, on which files: the command line's and the configuration's
// words, understood once.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/finding.h"
#include "core/result.h"

namespace forerun::engine {

// Reported for a suppression that suppresses nothing; it is not a rule, but is selected like one.
inline constexpr std::string_view kUnusedSuppression = "unused-suppression";

// What the user asked for, in the user's words. `at` of an entry is where it stands in a
// configuration file.
struct Settings {
  struct Word {
    std::string text;
    Location at;
  };
  std::vector<Word> select, ignore;              // empty select: every rule
  std::vector<std::pair<Word, Level>> severity;  // rule pattern -> level
  std::vector<std::pair<Word, std::vector<Word>>>
      per_file_ignores;          // path pattern -> rule patterns
  std::vector<Word> exclude;     // path patterns left out of folders
  std::optional<Level> fail_on;  // absent: Warning
  bool fail_never = false;
};

// A rule pattern is an id, a group ("memory"), a prefix of an id that ends in "-" or "*", or a
// glob; "all" is every rule.
bool matches_rule(std::string_view pattern, std::string_view id, std::string_view group);
// A glob: * within a path component, ** across, ? one character. Without a slash it is tried on
// every component.
bool matches_path(std::string_view pattern, std::string_view path);
bool matches_glob(std::string_view pattern, std::string_view text);

// "note", "warning", "error".
std::optional<Level> level_from_name(std::string_view name);

// Errors: a pattern that matches no rule, with the nearest id.
Status check_settings(const Settings& settings);

class Selection {
 public:
  explicit Selection(Settings settings) : settings_(std::move(settings)) {}
  bool runs(std::string_view id, std::string_view group) const;
  bool reports(std::string_view id, std::string_view group,
               std::string_view path) const;  // not ignored there
  Level level(std::string_view id, std::string_view group, Level found) const;
  bool excludes(std::string_view path) const;
  bool fails(Level level) const;
  // Equal for two selections that find the same in every file.
  std::string fingerprint() const;

 private:
  Settings settings_;
};

std::vector<std::string> rule_ids();             // sorted
std::string_view group_of(std::string_view id);  // empty when there is no such rule

}  // namespace forerun::engine
