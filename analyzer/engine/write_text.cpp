#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyzer/engine/writers.h"
#include "core/text.h"

namespace forerun::engine {
namespace {

const char* colour_of(Level level) {
  switch (level) {
    case Level::Note: return "\033[36m";
    case Level::Warning: return "\033[33m";
    case Level::Error: return "\033[31m";
  }
  return "";
}

}  // namespace

int line_in_file(const Report& report, const Location& at) {
  if (at.cell == 0) return at.begin.line;
  const auto notebook = report.notebooks.find(at.file);
  return notebook == report.notebooks.end() ? 1 : line_in_file(notebook->second, at);
}

std::string place_in_cell(const Location& at) {
  if (at.cell == 0) return "";
  return fmt::format("cell {}:{}:{}: ", at.cell, at.begin.line, at.begin.column);
}

std::string write_text(const Report& report, bool colour) {
  const std::string bold = colour ? "\033[1m" : "", off = colour ? "\033[0m" : "";
  std::string text;
  for (const Finding& finding : report.findings) {
    const std::string tint = colour ? colour_of(finding.level) : "";
    text += fmt::format("{}{}:{} {}{}:{} {} [{}]\n", bold, to_string(finding.location), off, tint,
                        name(finding.level), off, finding.message, finding.rule_id);
    for (const Finding::Related& related : finding.related)
      text += fmt::format("{}: note: {}\n", to_string(related.location), related.message);
    if (!finding.help.empty()) text += fmt::format("help: {}\n", finding.help);
  }
  return valid_utf8(text);
}

std::string write_statistics(const Report& report) {
  std::map<std::string, int> counts;
  for (const Finding& finding : report.findings) ++counts[finding.rule_id];
  std::vector<std::pair<std::string, int>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [rule, count] : rows) text += fmt::format("{:>6}  {}\n", count, rule);
  return text;
}

}  // namespace forerun::engine
