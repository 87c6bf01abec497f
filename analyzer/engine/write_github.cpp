// GitHub workflow commands: `::warning file=a.py,line=3,col=5::text`, with the escapes the runner
// undoes.
#include <fmt/format.h>

#include "analyzer/engine/writers.h"

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
    std::string where = fmt::format("file={},line={}", escaped(finding.location.file, true),
                                    finding.location.begin.line);
    if (finding.location.end.line > 0)
      where += fmt::format(",endLine={}", finding.location.end.line);
    if (finding.location.begin.column > 0)
      where += fmt::format(",col={}", finding.location.begin.column);
    const std::string body =
        finding.help.empty() ? finding.message : finding.message + "\n" + finding.help;
    text += fmt::format("::{} {},title={}::{}\n", command(finding.level), where,
                        escaped(finding.rule_id, true), escaped(body, false));
  }
  return text;
}

}  // namespace forerun::engine
