#include "analyzer/link/surroundings.h"

#include <algorithm>
#include <utility>

#include "analyzer/link/link.h"

namespace forerun::link {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\\' || c == '\n' || c == '\r'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// The word or dotted name that ends before `end`, blanks between left out.
std::string_view word_before(std::string_view text, std::size_t end) {
  while (end > 0 && is_blank(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  return text.substr(begin, end - begin);
}

// "a.b as c, (d)" from `at` on: "a.b", "c", "d".
std::vector<std::string_view> listed(std::string_view text, std::size_t at) {
  std::vector<std::string_view> found;
  bool open = false;
  while (at < text.size()) {
    const char c = text[at];
    const bool continued = c == '\n' && at > 0 && (text[at - 1] == '\\' || text[at - 1] == '\r');
    if (c == ')' || c == ';' || (c == '\n' && !open && !continued)) break;
    open = open || c == '(';
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (is_word(c) || c == '.') {
      const std::size_t begin = at;
      while (at < text.size() && (is_word(text[at]) || text[at] == '.')) ++at;
      found.push_back(text.substr(begin, at - begin));
    } else {
      ++at;
    }
  }
  return found;
}

}  // namespace

std::vector<std::string> imported_names(std::string_view text) {
  constexpr std::string_view kImport = "import";
  std::vector<std::string> names;
  for (std::size_t at = text.find(kImport); at != std::string_view::npos;
       at = text.find(kImport, at + 1)) {
    const std::size_t after = at + kImport.size();
    const bool whole =
        (at == 0 || !is_word(text[at - 1])) && (after >= text.size() || !is_word(text[after]));
    if (!whole) continue;
    const std::string_view module = word_before(text, at);
    const auto begin = static_cast<std::size_t>(module.data() - text.data());
    const bool from = !module.empty() && word_before(text, begin) == "from";
    if (from) names.emplace_back(module);
    for (const std::string_view word : listed(text, after)) {
      if (word == "as") continue;
      names.emplace_back(from ? std::string(module) + (module.ends_with('.') ? "" : ".") +
                                    std::string(word)
                              : std::string(word));
    }
  }
  return names;
}

std::set<std::string> Surroundings::leads(const std::string& file, std::string_view text) const {
  std::set<std::string> found;
  for (const std::string& name : imported_names(text)) {
    Symbol symbol = modules_.find(file, name);
    if (!symbol.file.empty()) found.insert(std::move(symbol.file));
  }
  return found;
}

const Surroundings::Known& Surroundings::known(const std::string& file) {
  {
    const std::lock_guard lock(guard_);
    if (const auto found = known_.find(file); found != known_.end()) return found->second;
  }
  Known made;
  if (const auto text = read_(file); text && is_worth_reading(file, *text))
    made = {digest_(*text), leads(file, *text)};
  const std::lock_guard lock(guard_);
  return known_.emplace(file, std::move(made)).first->second;
}

std::string Surroundings::digest(const std::string& file, std::string_view text) {
  if (modules_.empty()) return "";
  std::set<std::string> seen = leads(file, text);
  seen.erase(file);
  std::vector<std::string> pending(seen.begin(), seen.end());
  std::map<std::string, std::string> digests;
  while (!pending.empty()) {
    const std::string next = std::move(pending.back());
    pending.pop_back();
    const Known& one = known(next);
    if (one.digest.empty()) continue;
    digests.emplace(next, one.digest);
    for (const std::string& lead : one.leads)
      if (lead != file && seen.insert(lead).second) pending.push_back(lead);
  }
  std::string all;
  for (const auto& [name, digest] : digests) all += name + '\0' + digest + '\0';
  return all.empty() ? "" : digest_(all);
}

}  // namespace forerun::link
