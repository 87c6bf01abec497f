#include <nlohmann/json.hpp>

#include "analyzer/engine/selection.h"
#include "analyzer/engine/writers.h"
#include "core/version.h"

namespace forerun::engine {
namespace {

using Json = nlohmann::ordered_json;

// In a notebook, lines and columns are the cell's; the file's own line is beside them.
Json place(const Location& at, const Report& report) {
  Json json{{"file", at.file}, {"line", at.begin.line}, {"column", at.begin.column}};
  if (at.cell != 0) {
    json["cell"] = at.cell;
    json["line_in_file"] = line_in_file(report, at);
  }
  if (at.end.line != 0) {
    json["end_line"] = at.end.line;
    json["end_column"] = at.end.column;
  }
  return json;
}

Json to_json(const Finding& finding, const std::string& fingerprint, const Report& report) {
  Json json{{"rule", finding.rule_id},
            {"group", group_of(finding.rule_id)},
            {"level", name(finding.level)},
            {"message", finding.message},
            {"location", place(finding.location, report)},
            {"related", Json::array()},
            {"help", finding.help},
            {"fixes", Json::array()},
            {"fingerprint", fingerprint}};
  for (const Finding::Related& related : finding.related)
    json["related"].push_back(
        {{"message", related.message}, {"location", place(related.location, report)}});
  for (const Fix& fix : finding.fixes) {
    json["fixes"].push_back({{"description", fix.description},
                             {"location", place(fix.where, report)},
                             {"replacement", fix.replacement}});
  }
  return json;
}

}  // namespace

std::string write_json(const Report& report) {
  Json json{{"tool", "forerun-lint"}, {"version", kVersion}};
  json["findings"] = Json::array();
  const std::vector<std::string> prints = fingerprints(report.findings, report.texts);
  int counts[3] = {0, 0, 0};
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    json["findings"].push_back(to_json(report.findings[i], prints[i], report));
    ++counts[static_cast<int>(report.findings[i].level)];
  }
  json["could_not_check"] = Json::array();
  for (const Error& problem : report.errors) {
    json["could_not_check"].push_back({{"message", problem.message},
                                       {"location", place(problem.where, report)},
                                       {"accepted", problem.accepted}});
  }
  json["summary"] = {{"files", report.files},           {"errors", counts[2]},
                     {"warnings", counts[1]},           {"notes", counts[0]},
                     {"suppressed", report.suppressed}, {"in_baseline", report.known}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace forerun::engine
