// GitLab's Code Quality report: a list of {description, check_name, fingerprint, severity,
// location}, the part of Code Climate's format that its merge request widget reads.
#include <nlohmann/json.hpp>

#include "analyzer/engine/writers.h"

namespace forerun::engine {
namespace {

using Json = nlohmann::ordered_json;

// Of info, minor, major, critical and blocker.
const char* severity(Level level) {
  switch (level) {
    case Level::Note: return "info";
    case Level::Warning: return "major";
    case Level::Error: return "critical";
  }
  return "";
}

// "./src/a.py" names no file of a project.
std::string bare(std::string path) {
  while (path.starts_with("./")) path.erase(0, 2);
  return path;
}

}  // namespace

// The format has no place for files that could not be checked: those are on standard error, and in
// the exit status.
std::string write_gitlab(const Report& report) {
  Json list = Json::array();
  const std::vector<std::string> prints = fingerprints(report.findings, report.texts);
  for (std::size_t i = 0; i < prints.size(); ++i) {
    const Finding& finding = report.findings[i];
    list.push_back({{"description", place_in_cell(finding.location) + finding.message},
                    {"check_name", finding.rule_id},
                    {"fingerprint", prints[i]},
                    {"severity", severity(finding.level)},
                    {"location",
                     {{"path", bare(finding.location.file)},
                      {"lines", {{"begin", line_in_file(report, finding.location)}}}}}});
  }
  return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace forerun::engine
