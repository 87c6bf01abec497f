#include <fmt/format.h>

#include "analyzer/engine/selection.h"
#include "analyzer/engine/writers.h"
#include "core/nearest.h"
#include "rules/catalog.h"

namespace forerun::engine {
namespace {

void example(std::string& text, const char* title, const char* language, std::string_view source) {
  if (source.empty()) return;
  text += fmt::format("\n## {}\n\n```{}\n{}```\n", title, language, source);
}

}  // namespace

std::string page_title(std::string_view page) {
  if (!page.starts_with("# ")) return "";
  return std::string(page.substr(2, page.find('\n') - 2));
}

std::string page_summary(std::string_view page) {
  std::size_t at = page.find("\n\n");
  if (at == std::string_view::npos) return "";
  while (at < page.size() && page[at] == '\n') ++at;
  std::string text;
  for (const char c : page.substr(at, page.find("\n\n", at) - at)) text += c == '\n' ? ' ' : c;
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

Result<std::string> explain_rule(const std::string& id) {
  for (const rules::CatalogEntry& entry : rules::catalog()) {
    if (entry.id != id) continue;
    std::string text(entry.page);
    example(text, "Found in Python", "python", entry.bad_py);
    example(text, "Found in C++", "cpp", entry.bad_cpp);
    example(text, "Not found in Python", "python", entry.good_py);
    example(text, "Not found in C++", "cpp", entry.good_cpp);
    return text;
  }
  return error(fmt::format("no rule is called '{}'", id), suggest(id, rule_ids()));
}

std::string list_rules() {
  std::string text;
  for (const rules::CatalogEntry& entry : rules::catalog()) {
    text += fmt::format("{:<11} {:<28} {:<8} {}\n", entry.group, entry.id, name(entry.rule->level),
                        page_title(entry.page));
  }
  return text;
}

}  // namespace forerun::engine
