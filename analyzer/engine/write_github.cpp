// GitHub workflow commands: `::warning file=a.py,line=3,col=5::text`, with the escapes the runner
// undoes.
#include <fmt/format.h>

#include "analyzer/engine/writers.h"
#include "core/text.h"

namespace forerun::engine {
namespace {

std::string escaped(const std::string& text, bool property) {
  std::string result;
  for (const char c : text) {
    if (c == '%')
      result += "%25";
    else if (c == '\r')
      result += "%0D";
    else if (c == '\n')
      result += "%0A";
    else if (property && c == ':')
      result += "%3A";
    else if (property && c == ',')
      result += "%2C";
    else
      result += c;
  }
  return result;
}

const char* command(Level level) {
  switch (level) {
    case Level::Note: return "notice";
    case Level::Warning: return "warning";
    case Level::Error: return "error";
  }
  return "";
}

}  // namespace

std::string write_github(const Report& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    const Location& at = finding.location;
    std::string where =
        fmt::format("file={},line={}", escaped(at.file, true), line_in_file(report, at));
    if (at.cell == 0 && at.end.line > 0) where += fmt::format(",endLine={}", at.end.line);
    if (at.cell == 0 && at.begin.column > 0) where += fmt::format(",col={}", at.begin.column);
    std::string body = place_in_cell(at) + finding.message;
    if (!finding.help.empty()) body += "\n" + finding.help;
    text += fmt::format("::{} {},title={}::{}\n", command(finding.level), where,
                        escaped(finding.rule_id, true), escaped(body, false));
  }
  return valid_utf8(text);
}

}  // namespace forerun::engine
