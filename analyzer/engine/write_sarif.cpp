// SARIF 2.1.0 (OASIS, schema sarif-schema-2.1.0.json) as GitHub code scanning reads it: relative
// URIs, rules with help, partialFingerprints, related locations with ids.
#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analyzer/engine/selection.h"
#include "analyzer/engine/writers.h"
#include "core/text.h"
#include "core/version.h"
#include "rules/catalog.h"

namespace forerun::engine {
namespace {

using Json = nlohmann::ordered_json;

// RFC 3986: what a path may hold is kept, the rest is percent-encoded. An absolute path becomes a
// file URI.
std::string uri(const std::string& path) {
  std::string_view rest = path;
  while (rest.starts_with("./")) rest.remove_prefix(2);
  return (rest.starts_with('/') ? "file://" : "") + percent_encoded(rest, "-._~/!$&'()*+,;=@");
}

// Our columns count bytes; SARIF's count UTF-16 units.
int utf16_column(const Texts& texts, const std::string& file, Position at) {
  const auto found = texts.find(file);
  if (found == texts.end()) return at.column;
  const std::string_view text = found->second;
  const std::vector<std::size_t> starts = line_starts(text);
  const auto line = static_cast<std::size_t>(std::max(at.line, 1) - 1);
  if (line >= starts.size()) return at.column;
  const std::string_view rest = text.substr(starts[line]);
  const auto before = static_cast<std::size_t>(std::max(at.column, 1) - 1);
  return 1 + utf16_units(rest.substr(0, std::min(before, rest.find('\n'))));
}

// In a notebook the region is the line of JSON that holds the place: lines of a cell are none of
// the artifact's.
Json physical(const Location& at, const Report& report) {
  const Texts& texts = report.texts;
  Json json{{"artifactLocation", {{"uri", uri(at.file)}}}};
  if (at.begin.line == 0) return json;
  if (at.cell != 0) {
    json["region"] = {{"startLine", line_in_file(report, at)}};
    return json;
  }
  Json region{{"startLine", at.begin.line}};
  if (at.begin.column != 0) region["startColumn"] = utf16_column(texts, at.file, at.begin);
  if (at.end.line != 0) {
    region["endLine"] = at.end.line;
    if (at.end.column != 0) region["endColumn"] = utf16_column(texts, at.file, at.end);
  }
  json["region"] = region;
  return json;
}

Json location(const Location& at, const Report& report) {
  Json json{{"physicalLocation", physical(at, report)}};
  if (at.cell != 0) {
    json["logicalLocations"] = Json::array(
        {{{"name", fmt::format("cell {}", at.cell)}, {"fullyQualifiedName", text_name(at)}}});
  }
  return json;
}

Json descriptor(const rules::CatalogEntry& entry) {
  const std::string page(entry.page), title = page_title(page), summary = page_summary(page);
  const std::string level(name(entry.rule->level));
  return {{"id", entry.id},
          {"name", entry.id},
          {"shortDescription", {{"text", title.empty() ? std::string(entry.id) : title}}},
          {"fullDescription", {{"text", summary.empty() ? title : summary}}},
          {"help", {{"text", page}, {"markdown", page}}},
          {"defaultConfiguration", {{"level", level}}},
          {"properties",
           {{"tags", {entry.group, "training"}},
            {"precision", "high"},
            {"problem.severity", level == "note" ? "recommendation" : level}}}};
}

Json rules_of(std::map<std::string, int>& index) {
  Json list = Json::array();
  for (const rules::CatalogEntry& entry : rules::catalog()) {
    index[std::string(entry.id)] = static_cast<int>(list.size());
    list.push_back(descriptor(entry));
  }
  index[std::string(kUnusedSuppression)] = static_cast<int>(list.size());
  const char* text = "A comment that silences a rule, where the rule has nothing to say";
  list.push_back(
      {{"id", kUnusedSuppression},
       {"name", kUnusedSuppression},
       {"shortDescription", {{"text", text}}},
       {"fullDescription", {{"text", text}}},
       {"help", {{"text", text}, {"markdown", text}}},
       {"defaultConfiguration", {{"level", "note"}}},
       {"properties",
        {{"tags", {"training"}}, {"precision", "high"}, {"problem.severity", "recommendation"}}}});
  return list;
}

// A deleted region without an end is empty: an insertion. The replacements of one file stand
// together.
Json fix(const Finding& finding, const Report& report) {
  std::map<std::string, Json> changes;
  for (const Fix& one : finding.fixes) {
    Location where = one.where;
    if (where.end.line == 0) where.end = where.begin;
    Json region = physical(where, report)["region"];
    changes[where.file].push_back(
        {{"deletedRegion", region}, {"insertedContent", {{"text", one.replacement}}}});
  }
  Json json{{"description", {{"text", finding.fixes.front().description}}},
            {"artifactChanges", Json::array()}};
  for (auto& [file, replacements] : changes) {
    json["artifactChanges"].push_back(
        {{"artifactLocation", {{"uri", uri(file)}}}, {"replacements", replacements}});
  }
  return json;
}

Json result(const Finding& finding, int rule, const std::string& fingerprint,
            const Report& report) {
  std::string message = place_in_cell(finding.location) + finding.message;
  if (!finding.help.empty()) message += "\n" + finding.help;
  Json json{{"ruleId", finding.rule_id},
            {"ruleIndex", rule},
            {"level", name(finding.level)},
            {"message", {{"text", message}}},
            {"locations", Json::array({location(finding.location, report)})},
            {"partialFingerprints", {{"primaryLocationLineHash", fingerprint}}}};
  int id = 1;
  for (const Finding::Related& related : finding.related) {
    Json place = location(related.location, report);
    place["id"] = id++;
    place["message"] = {{"text", place_in_cell(related.location) + related.message}};
    json["relatedLocations"].push_back(std::move(place));
  }
  // The text of a cell is not the text of the artifact: --fix writes it, a viewer could not.
  if (!finding.fixes.empty() && finding.location.cell == 0)
    json["fixes"] = Json::array({fix(finding, report)});
  return json;
}

Json notification(const Error& problem, const Report& report) {
  Json json{{"level", "error"}, {"message", {{"text", problem.message}}}};
  if (!problem.where.file.empty())
    json["locations"] = Json::array({{{"physicalLocation", physical(problem.where, report)}}});
  return json;
}

}  // namespace

std::string write_sarif(const Report& report) {
  std::map<std::string, int> index;
  Json run;
  run["tool"]["driver"] = {{"name", "forerun"},
                           {"semanticVersion", kVersion},
                           {"version", kVersion},
                           {"rules", rules_of(index)}};
  run["automationDetails"] = {{"id", "forerun-lint/"}};
  run["columnKind"] = "utf16CodeUnits";
  Json invocation{{"executionSuccessful", report.errors.empty()}};
  for (const Error& problem : report.errors)
    invocation["toolExecutionNotifications"].push_back(notification(problem, report));
  run["invocations"] = Json::array({invocation});
  run["results"] = Json::array();
  const std::vector<std::string> prints = fingerprints(report.findings, report.texts);
  for (std::size_t i = 0; i < report.findings.size(); ++i) {
    run["results"].push_back(
        result(report.findings[i], index[report.findings[i].rule_id], prints[i], report));
  }
  Json json{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({run})}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace forerun::engine
