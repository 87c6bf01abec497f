// JUnit XML as Jenkins and GitLab read it: a suite a file, a failed case a finding. A file that
// could not be checked is a case in error.
#include <map>

#include <fmt/format.h>

#include "analyzer/engine/writers.h"
#include "core/text.h"
#include "core/version.h"

namespace forerun::engine {
namespace {

// XML 1.0: markup is escaped, and characters that no escape can write become '?'.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\n': result += "&#10;"; break;
      case '\t': result += "&#9;"; break;
      default: result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return result;
}

struct Suite {
  std::string cases;
  int tests = 0, failures = 0, errors = 0;
};

std::string body_of(const Finding& finding) {
  std::string body = fmt::format("{}: {}: {} [{}]", to_string(finding.location),
                                 name(finding.level), finding.message, finding.rule_id);
  for (const Finding::Related& related : finding.related)
    body += fmt::format("\n{}: note: {}", to_string(related.location), related.message);
  return finding.help.empty() ? body : body + "\nhelp: " + finding.help;
}

std::string name_of(const Finding& finding) {
  const Location& at = finding.location;
  const std::string cell = at.cell == 0 ? "" : fmt::format("cell {}:", at.cell);
  return fmt::format("{} {}{}:{}", finding.rule_id, cell, at.begin.line, at.begin.column);
}

void add(Suite& suite, const Finding& finding, const Report& report) {
  ++suite.tests;
  ++suite.failures;
  suite.cases += fmt::format(
      "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" line=\"{}\">\n"
      "      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
      escaped(name_of(finding)), escaped(finding.location.file), escaped(finding.location.file),
      line_in_file(report, finding.location), name(finding.level), escaped(finding.message),
      escaped(body_of(finding)));
}

void add(Suite& suite, const Error& problem) {
  ++suite.tests;
  ++suite.errors;
  suite.cases += fmt::format(
      "    <testcase name=\"could not be checked\" classname=\"{}\">\n"
      "      <error message=\"{}\"/>\n    </testcase>\n",
      escaped(problem.where.file), escaped(problem.message));
}

// A reader that finds no case takes the report for broken: a clean run is one case that passed.
Suite passed() {
  Suite suite;
  suite.tests = 1;
  suite.cases = "    <testcase name=\"no findings\" classname=\"forerun-lint\"/>\n";
  return suite;
}

}  // namespace

std::string write_junit(const Report& report) {
  std::map<std::string, Suite> suites;
  for (const Finding& finding : report.findings)
    add(suites[finding.location.file], finding, report);
  for (const Error& problem : report.errors) add(suites[problem.where.file], problem);
  if (suites.empty()) suites.emplace("forerun-lint", passed());
  Suite all;
  std::string text;
  for (const auto& [file, suite] : suites) {
    text += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}  </testsuite>\n",
        escaped(file), suite.tests, suite.failures, suite.errors, suite.cases);
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
  }
  return valid_utf8(
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<testsuites name=\"forerun-lint {}\" tests=\"{}\" failures=\"{}\" "
                  "errors=\"{}\">\n{}</testsuites>\n",
                  kVersion, all.tests, all.failures, all.errors, text));
}

}  // namespace forerun::engine
