#include "analyzer/engine/baseline.h"

#include <set>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/text.h"

namespace forerun::engine {
namespace {

constexpr int kFormat = 1;

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::string line_text(const Texts& texts, const Location& at) {
  const auto found = texts.find(text_name(at));
  if (found == texts.end() || at.begin.line == 0) return "";
  const std::string_view text = found->second;
  std::size_t from = 0;
  for (int line = 1; line < at.begin.line && from != std::string_view::npos; ++line) {
    from = text.find('\n', from);
    if (from != std::string_view::npos) ++from;
  }
  if (from == std::string_view::npos) return "";
  std::string bare;
  for (const char c : text.substr(from, text.find('\n', from) - from)) {
    if (c != ' ' && c != '\t' && c != '\r') bare += c;
  }
  return bare;
}

}  // namespace

std::string text_name(const Location& at) { return to_string(Location{at.file, {}, {}, at.cell}); }

std::vector<std::string> fingerprints(const std::vector<Finding>& findings, const Texts& texts) {
  std::map<std::string, int> seen;
  std::vector<std::string> result;
  for (const Finding& finding : findings) {
    const std::string what = fmt::format("{}\n{}\n{}", finding.rule_id, finding.location.file,
                                         line_text(texts, finding.location));
    result.push_back(fmt::format("{:016x}", fnv1a(fmt::format("{}\n{}", what, seen[what]++))));
  }
  return result;
}

Result<Baseline> read_baseline(const std::string& text, const std::string& path) {
  auto wrong = [&](const std::string& what) {
    return error_at({path, {}, {}}, what, "a file that --update-baseline wrote");
  };
  if (is_binary(text)) return wrong("is not a text file");
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& problem) {
    return error_at({path, position_of(text, problem.byte == 0 ? 0 : problem.byte - 1), {}},
                    "is not JSON: the text ends or breaks here",
                    "a file that --update-baseline wrote");
  } catch (const nlohmann::json::exception&) {
    return wrong("holds a number beyond any range");
  }
  if (!json.is_object() || json.value("forerun_baseline", nlohmann::json()) != kFormat)
    return wrong("is not a baseline");
  const auto entries = json.find("findings");
  if (entries == json.end() || !entries->is_array()) return wrong("has no list of findings");
  Baseline baseline;
  for (const auto& entry : *entries) {
    Baseline::Entry one;
    for (const auto& [key, into] :
         {std::pair{"rule", &one.rule}, {"path", &one.path}, {"fingerprint", &one.fingerprint}}) {
      if (!entry.is_object() || !entry.contains(key) || !entry[key].is_string())
        return wrong(fmt::format("has a finding without {}", key));
      *into = entry[key].get<std::string>();
    }
    baseline.entries.push_back(std::move(one));
  }
  return baseline;
}

std::string write_baseline(const std::vector<Finding>& findings, const Texts& texts) {
  nlohmann::ordered_json json{{"forerun_baseline", kFormat},
                              {"findings", nlohmann::ordered_json::array()}};
  const std::vector<std::string> prints = fingerprints(findings, texts);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    json["findings"].push_back({{"rule", findings[i].rule_id},
                                {"path", valid_utf8(findings[i].location.file)},
                                {"fingerprint", prints[i]}});
  }
  return json.dump(1) + "\n";
}

std::vector<Baseline::Entry> apply_baseline(const Baseline& baseline, const Texts& texts,
                                            std::vector<Finding>& findings) {
  std::multiset<std::string> known;
  for (const Baseline::Entry& entry : baseline.entries) known.insert(entry.fingerprint);
  const std::vector<std::string> prints = fingerprints(findings, texts);
  std::vector<Finding> fresh;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const auto found = known.find(prints[i]);
    if (found == known.end())
      fresh.push_back(std::move(findings[i]));
    else
      known.erase(found);
  }
  findings = std::move(fresh);
  std::vector<Baseline::Entry> gone;
  for (const Baseline::Entry& entry : baseline.entries) {
    const auto found = known.find(entry.fingerprint);
    if (found == known.end()) continue;
    known.erase(found);
    gone.push_back(entry);
  }
  return gone;
}

}  // namespace forerun::engine
