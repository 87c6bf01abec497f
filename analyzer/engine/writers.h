// Findings as text, JSON, SARIF 2.1.0, GitHub annotations, GitLab Code Quality and JUnit XML. Same
// findings, same bytes.
#pragma once

#include <string>
#include <vector>

#include "analyzer/engine/baseline.h"
#include "analyzer/engine/notebook.h"
#include "core/finding.h"
#include "core/result.h"

namespace forerun::engine {

struct Report {
  std::vector<Finding> findings;  // sorted
  std::vector<Error> errors;      // files that could not be checked
  Texts texts;
  std::map<std::string, Notebook> notebooks;  // by path, those that a finding is in
  int files = 0;                              // checked
  int suppressed = 0;
  int known = 0;  // left out because a baseline holds them
};

// The line of the file itself: that of the finding, or in a notebook the line of JSON that holds
// it.
int line_in_file(const Report& report, const Location& at);

// "cell 3:12:5: ", for formats that know files and lines alone; empty outside notebooks.
std::string place_in_cell(const Location& at);

std::string write_text(const Report& report, bool colour);
std::string write_statistics(const Report& report);  // a line a rule, most first
std::string write_json(const Report& report);
std::string write_sarif(const Report& report);
std::string write_github(const Report& report);
std::string write_gitlab(const Report& report);
std::string write_junit(const Report& report);

// The page of a rule with its examples; every rule's id, level and first sentence.
Result<std::string> explain_rule(const std::string& id);
std::string list_rules();

// Parts of a rule.md: its title, and its first paragraph on one line.
std::string page_title(std::string_view page);
std::string page_summary(std::string_view page);

}  // namespace forerun::engine
