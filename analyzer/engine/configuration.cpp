#include "analyzer/engine/configuration.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "core/files.h"
#include "core/nearest.h"
#include "core/text.h"

namespace forerun::engine {
namespace {

const std::vector<std::string> kKeys = {"exclude",          "fail-on", "ignore",
                                        "per-file-ignores", "select",  "severity"};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  Status read(const toml::table& table, bool may_nest) {
    for (const auto& [key, value] : table) {
      const std::string name(key.str());
      if (name == "lint" && may_nest && value.is_table()) {
        if (const Status inner = read(*value.as_table(), false); !inner) return inner;
        continue;
      }
      if (const Status done = read_key(name, key, value); !done) return done;
    }
    return Done{};
  }

  Settings settings;

 private:
  Location at(const toml::source_region& region) const {
    return {
        path_, {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)}, {}};
  }
  static std::string kind(const toml::node& node) {
    return fmt::format("{}", [&] {
      std::ostringstream text;
      text << node.type();
      return text.str();
    }());
  }

  Status read_key(const std::string& name, const toml::key& key, const toml::node& value) {
    if (name == "select") return words(name, value, settings.select);
    if (name == "ignore") return words(name, value, settings.ignore);
    if (name == "exclude") return words(name, value, settings.exclude);
    if (name == "fail-on") return fail_on(value);
    if (name == "severity") return severity(value);
    if (name == "per-file-ignores") return per_file_ignores(value);
    return error_at(at(key.source()), fmt::format("unknown key '{}'", name), suggest(name, kKeys));
  }

  Status words(const std::string& name, const toml::node& value,
               std::vector<Settings::Word>& into) {
    const toml::array* list = value.as_array();
    if (list == nullptr)
      return error_at(at(value.source()), fmt::format("{} is a {}", name, kind(value)),
                      "a list of texts");
    for (const toml::node& element : *list) {
      const auto* text = element.as_string();
      if (text == nullptr)
        return error_at(at(element.source()), fmt::format("{} holds a {}", name, kind(element)),
                        "texts only");
      into.push_back({text->get(), at(element.source())});
    }
    return Done{};
  }

  Status fail_on(const toml::node& value) {
    const auto* text = value.as_string();
    if (text == nullptr)
      return error_at(at(value.source()), fmt::format("fail-on is a {}", kind(value)),
                      "note, warning, error or never");
    settings.fail_on = level_from_name(text->get());
    settings.fail_never = text->get() == "never";
    if (settings.fail_on || settings.fail_never) return Done{};
    return error_at(at(value.source()), fmt::format("fail-on is '{}'", text->get()),
                    suggest(text->get(), {"note", "warning", "error", "never"}));
  }

  Status severity(const toml::node& value) {
    const toml::table* table = value.as_table();
    if (table == nullptr)
      return error_at(at(value.source()), fmt::format("severity is a {}", kind(value)),
                      "a table: rule = \"note\"");
    for (const auto& [key, level] : *table) {
      const auto* text = level.as_string();
      const auto known = text == nullptr ? std::nullopt : level_from_name(text->get());
      if (!known) {
        const std::string typed = text == nullptr ? "a " + kind(level) : "'" + text->get() + "'";
        return error_at(at(level.source()), fmt::format("severity of '{}' is {}", key.str(), typed),
                        "note, warning or error");
      }
      settings.severity.push_back({{std::string(key.str()), at(key.source())}, *known});
    }
    return Done{};
  }

  Status per_file_ignores(const toml::node& value) {
    const toml::table* table = value.as_table();
    if (table == nullptr)
      return error_at(at(value.source()), fmt::format("per-file-ignores is a {}", kind(value)),
                      "a table: \"pattern\" = [rules]");
    for (const auto& [key, rules] : *table) {
      settings.per_file_ignores.push_back({{std::string(key.str()), at(key.source())}, {}});
      if (const Status done =
              words("per-file-ignores", rules, settings.per_file_ignores.back().second);
          !done)
        return done;
    }
    return Done{};
  }

  std::string path_;
};

// The end of a text in quotes that begins at `from`: of one line, or between three quotes.
std::size_t after_quoted(std::string_view text, std::size_t from) {
  const char quote = text[from];
  const bool is_long = text.substr(from, 3) == std::string(3, quote);
  for (std::size_t at = from + (is_long ? 3 : 1); at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (!is_long && (text[at] == quote || text[at] == '\n')) {
      return at + 1;
    } else if (is_long && text.substr(at, 3) == std::string(3, quote)) {
      return at + 3;
    }
  }
  return text.size();
}

// TOML 1.0 knows other characters than ASCII's in quotes and comments alone. toml++ 3.3 runs into a
// place it holds unreachable on some of them elsewhere, so they are found before it reads.
std::optional<std::size_t> bare_beyond_ascii(std::string_view text) {
  for (std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0; at < text.size();) {
    if (text[at] == '"' || text[at] == '\'') {
      at = after_quoted(text, at);
    } else if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (static_cast<unsigned char>(text[at]) >= 0x80) {
      return at;
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

// `text` with letters, no two the same, in place of each byte that is not ASCII. No letter of them
// makes an escape or a digit, so where this is TOML, the others' places are in quotes or comments.
std::string spelled_in_ascii(std::string_view text) {
  std::string spelled;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x80) {
      spelled += character;
    } else {
      spelled += {static_cast<char>('G' + byte / 16), static_cast<char>('G' + byte % 16)};
    }
  }
  return spelled;
}

Result<toml::table> parse_toml(const std::string& text, const std::string& path);

// A quote that nothing may open where it stands leads toml++ to the same place, so it first reads a
// text in ASCII. Its line is the text's; its column is not, and is left out.
Status check_form(const std::string& text, const std::string& path) {
  const std::string_view marked = text;
  const std::string_view rest = marked.substr(marked.starts_with("\xef\xbb\xbf") ? 3 : 0);
  const std::string spelled = spelled_in_ascii(rest);
  if (spelled == rest) return Done{};
  const auto parsed = parse_toml(spelled, path);
  if (parsed) return Done{};
  Error error = parsed.error();
  error.where.begin.column = 0;
  return error;
}

Result<toml::table> parse_toml(const std::string& text, const std::string& path) {
  if (is_binary(text)) return error_at({path, {}, {}}, "is not a text file", "TOML");
  if (const auto at = bare_beyond_ascii(text))
    return error_at({path, position_of(text, *at), {}},
                    "a character outside quotes that is not ASCII");
  if (const Status form = check_form(text, path); !form) return form.error();
  // The packaged toml++ is built without exceptions, so errors come back as values.
  toml::parse_result parsed = toml::parse(text, path);
  if (parsed) return std::move(parsed).table();
  const auto& begin = parsed.error().source().begin;
  return error_at({path, {static_cast<int>(begin.line), static_cast<int>(begin.column)}, {}},
                  std::string(parsed.error().description()));
}

}  // namespace

Result<Settings> read_configuration(const std::string& text, const std::string& path) {
  const Result<toml::table> parsed = parse_toml(text, path);
  if (!parsed) return parsed.error();
  const toml::table* table = &*parsed;
  if (std::filesystem::path(path).filename() == "pyproject.toml") {
    table = (*parsed)["tool"]["forerun"].as_table();
    if (table == nullptr) return Settings{};
  }
  Reader reader(path);
  if (const Status done = reader.read(*table, true); !done) return done.error();
  if (const Status known = check_settings(reader.settings); !known) return known.error();
  return std::move(reader.settings);
}

Result<Found> find_configuration(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code problem;
  const fs::path start = fs::absolute(folder.empty() ? "." : folder, problem).lexically_normal();
  const fs::path here = fs::current_path(problem);
  for (fs::path at = start;; at = at.parent_path()) {
    for (const char* name : {"forerun.toml", "pyproject.toml"}) {
      const fs::path candidate = at / name;
      if (!fs::exists(candidate, problem)) continue;
      const fs::path relative = candidate.lexically_relative(here);
      const bool below = !relative.empty() && *relative.begin() != "..";
      const std::string shown = below ? relative.string() : candidate.string();
      const auto text = read_file(candidate.string());
      if (!text) return error_at({shown, {}, {}}, text.error().message);
      if (std::string(name) == "pyproject.toml") {
        const auto parsed = parse_toml(*text, shown);
        if (!parsed) return parsed.error();
        if ((*parsed)["tool"]["forerun"].as_table() == nullptr) continue;
      }
      const auto settings = read_configuration(*text, shown);
      if (!settings) return settings.error();
      return Found{*settings, shown};
    }
    if (at == at.parent_path()) return Found{};
  }
}

}  // namespace forerun::engine
