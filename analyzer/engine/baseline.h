// Findings that were there before: a file of fingerprints that do not move with line numbers.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/finding.h"
#include "core/result.h"

namespace forerun::engine {

// The text of a file by the name findings give it.
using Texts = std::map<std::string, std::string>;
// That name: the file's path, or "a.ipynb:cell 3" for a cell of a notebook.
std::string text_name(const Location& at);

// One for each finding: rule, path, the line's text without its spaces, and the how-many-th of
// these it is.
std::vector<std::string> fingerprints(const std::vector<Finding>& findings, const Texts& texts);

struct Baseline {
  struct Entry {
    std::string rule, path, fingerprint;
  };
  std::vector<Entry> entries;
};
// Errors: text that is not a baseline, with its place.
Result<Baseline> read_baseline(const std::string& text, const std::string& path);
std::string write_baseline(const std::vector<Finding>& findings, const Texts& texts);

// Takes the known findings out; returns the entries that no finding needs any more.
std::vector<Baseline::Entry> apply_baseline(const Baseline& baseline, const Texts& texts,
                                            std::vector<Finding>& findings);

}  // namespace forerun::engine
