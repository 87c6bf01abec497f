// forerun.toml, or [tool.forerun] of pyproject.toml, found by walking up from where the work is.
//
//   [lint]                                  # in pyproject.toml: [tool.forerun.lint]; the keys may
//   also stand above it select = ["gradient", "memory-"]        # ids, groups, prefixes, globs
//   ignore = ["host-sync-in-loop"]
//   exclude = ["third_party/**"]
//   fail-on = "warning"                     # note | warning | error | never
//   severity = {host-sync-in-loop = "warning"}
//   per-file-ignores = {"tests/**" = ["all"]}
#pragma once

#include <optional>
#include <string>

#include "analyzer/engine/selection.h"

namespace forerun::engine {

// Errors name file, line and column: text that is not TOML, an unknown key (with the nearest known
// one), a wrong type.
Result<Settings> read_configuration(const std::string& text, const std::string& path);

struct Found {
  Settings settings;
  std::string path;  // empty: none was found, and these are the defaults
};
// The nearest configuration at or above `folder`. A pyproject.toml without [tool.forerun] is passed
// by.
Result<Found> find_configuration(const std::string& folder);

}  // namespace forerun::engine
