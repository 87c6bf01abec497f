// --check NAME and --check list.
#include <algorithm>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/options/options.h"
#include "core/nearest.h"
#include "core/version.h"
#include "verifier/checks/catalog.h"
#include "verifier/cli/commands.h"

namespace forerun::cli {
namespace {

constexpr const char* kProgram = "forerun verify";

std::string list_text() {
  std::string text;
  for (const auto& entry : checks::catalog())
    text += fmt::format("{:<24}{}\n", entry.id, entry.check->summary);
  return text;
}

std::string list_json() {
  auto list = nlohmann::ordered_json::array();
  for (const auto& entry : checks::catalog())
    list.push_back({{"check", entry.id}, {"summary", entry.check->summary}});
  return list.dump(2) + "\n";
}

std::string outcome_json(std::string_view id, const checks::Outcome& outcome) {
  nlohmann::ordered_json json;
  json["tool"] = kProgram;
  json["version"] = kVersion;
  json["check"] = id;
  json["passed"] = outcome.passed;
  json["measured"] = outcome.line;
  json["expected"] = outcome.expected;
  return json.dump(2) + "\n";
}

std::string outcome_text(const checks::Outcome& outcome) {
  if (outcome.passed) return outcome.line + "\n";
  return fmt::format("{}\nfailed: expected {}\n", outcome.line, outcome.expected);
}

Error unknown(const std::string& name) {
  std::vector<std::string> known{"list"};
  for (const auto& entry : checks::catalog()) known.emplace_back(entry.id);
  return error(fmt::format("unknown check '{}'", name), suggest(name, known));
}

}  // namespace

int run_check(const std::string& name, const std::string& format, const std::string& output) {
  const bool json = format == "json";
  if (name == "list") return emit(kProgram, json ? list_json() : list_text(), output, kExitClean);
  const auto all = checks::catalog();
  const auto found = std::ranges::find(all, name, &checks::CatalogEntry::id);
  if (found == all.end()) return complain(kProgram, unknown(name));
  const checks::Outcome outcome = found->check->run();
  return emit(kProgram, json ? outcome_json(name, outcome) : outcome_text(outcome), output,
              outcome.passed ? kExitClean : kExitFound);
}

}  // namespace forerun::cli
