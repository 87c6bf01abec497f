#include "core/yaml.h"

#include <cmath>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>

#include "core/files.h"
#include "core/nearest.h"
#include "core/text.h"

namespace forerun::yaml {
namespace {

constexpr int kMaxDepth = 200;
constexpr int kMaxNodes = 1'000'000;

Location at_mark(const YAML::Mark& mark, const std::string& path) {
  if (mark.is_null()) return {path, {}, {}};
  return {path, {mark.line + 1, mark.column + 1}, {}};
}

// Counts a text's documents up to the second. YAML::LoadAll never ends on some that are not YAML:
// a ',' on the top level is a new document over and over (yaml-cpp 0.7).
class Documents : public YAML::EventHandler {
 public:
  explicit Documents(const std::string& text) {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (count < 2 && parser.HandleNextDocument(*this)) {
    }
  }
  int count = 0;
  YAML::Mark last;  // where the last one counted starts

  void OnDocumentStart(const YAML::Mark& mark) override {
    ++count;
    last = mark;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

class Walker {
 public:
  explicit Walker(const std::string& path) : path_(path) {}

  Status walk(const YAML::Node& node, int depth) {
    if (++nodes_ > kMaxNodes) {
      return error_at(
          {path_, {}, {}},
          fmt::format("holds more than {} values once its aliases are expanded", kMaxNodes));
    }
    if (depth > kMaxDepth)
      return error_at(location(node, path_), fmt::format("is nested more than {} deep", kMaxDepth));
    if (node.IsSequence()) {
      for (const YAML::Node& item : node) {
        if (const Status fine = walk(item, depth + 1); !fine) return fine;
      }
    }
    return node.IsMap() ? walk_map(node, depth) : Done{};
  }

 private:
  Status walk_map(const YAML::Node& node, int depth) {
    std::set<std::string> seen;
    for (const auto& entry : node) {
      if (!entry.first.IsScalar())
        return error_at(location(entry.first, path_),
                        "a key must be a word, not " + describe(entry.first));
      if (!seen.insert(entry.first.Scalar()).second) {
        return error_at(location(entry.first, path_),
                        fmt::format("'{}' is given twice", entry.first.Scalar()));
      }
      if (const Status fine = walk(entry.second, depth + 1); !fine) return fine;
    }
    return Done{};
  }

  const std::string& path_;
  int nodes_ = 0;
};

template <class T>
std::optional<T> parse_whole(const std::string& text) {
  return to_number<T>(std::string_view(text).substr(text.starts_with('+') ? 1 : 0));
}

Error wrong(const YAML::Node& node, const std::string& path, const std::string& what,
            const std::string& expected) {
  return error_at(location(node, path),
                  fmt::format("{} is {}, expected {}", what, describe(node), expected));
}

// A quoted scalar is text, whatever it spells.
bool is_plain(const YAML::Node& node) { return node.IsScalar() && node.Tag() != "!"; }

}  // namespace

std::optional<std::int64_t> to_integer(const std::string& text) {
  return parse_whole<std::int64_t>(text);
}

std::optional<double> to_real(const std::string& text) {
  const auto value = parse_whole<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<bool> to_boolean(const std::string& text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

bool looks_like_integer(const std::string& text) {
  const std::size_t first = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  return first < text.size() && text.find_first_not_of("0123456789", first) == std::string::npos;
}

Result<YAML::Node> parse(const std::string& text, const std::string& path) {
  if (is_binary(text)) return error_at({path, {}, {}}, "is not a text file", "YAML or JSON");
  try {
    const Documents documents(text);
    if (documents.count == 0)
      return error_at({path, {}, {}}, "is empty", "a spec: model, input, target, ...");
    if (documents.count > 1)
      return error_at(at_mark(documents.last, path), "a second document; one spec a file");
    YAML::Node document = YAML::Load(text);
    Walker walker(path);
    if (const Status fine = walker.walk(document, 0); !fine) return fine.error();
    return document;
  } catch (const YAML::Exception& problem) {
    return error_at(at_mark(problem.mark, path), fmt::format("is not valid YAML: {}", problem.msg));
  }
}

Location location(const YAML::Node& node, const std::string& path) {
  return at_mark(node.Mark(), path);
}

bool is_null(const YAML::Node& node) { return !node.IsDefined() || node.IsNull(); }

std::string describe(const YAML::Node& node) {
  if (node.IsSequence()) return "a list";
  if (node.IsMap()) return "a mapping";
  if (is_null(node)) return "empty";
  const std::string& text = node.Scalar();
  return fmt::format("'{}'", text.size() <= 60 ? text : text.substr(0, 57) + "...");
}

Result<std::int64_t> integer(const YAML::Node& node, const std::string& path,
                             const std::string& what, std::int64_t least) {
  const std::string expected =
      least == 1 ? "a positive integer" : fmt::format("an integer of at least {}", least);
  if (!is_plain(node)) return wrong(node, path, what, expected);
  const auto value = to_integer(node.Scalar());
  if (!value && looks_like_integer(node.Scalar()))
    return wrong(node, path, what, "an integer that fits 64 bits");
  if (!value || *value < least) return wrong(node, path, what, expected);
  return *value;
}

Result<double> real(const YAML::Node& node, const std::string& path, const std::string& what) {
  const auto value = is_plain(node) ? to_real(node.Scalar()) : std::nullopt;
  if (!value) return wrong(node, path, what, "a number");
  return *value;
}

Result<bool> boolean(const YAML::Node& node, const std::string& path, const std::string& what) {
  const auto value = is_plain(node) ? to_boolean(node.Scalar()) : std::nullopt;
  if (!value) return wrong(node, path, what, "true or false");
  return *value;
}

Result<std::string> word(const YAML::Node& node, const std::string& path, const std::string& what) {
  if (!node.IsScalar() || node.Scalar().empty()) return wrong(node, path, what, "a word");
  return node.Scalar();
}

Result<std::size_t> choice(const YAML::Node& node, const std::string& path, const std::string& what,
                           const std::vector<std::string>& accepted) {
  const auto text = word(node, path, what);
  if (!text) return text.error();
  for (std::size_t i = 0; i < accepted.size(); ++i) {
    if (accepted[i] == *text) return i;
  }
  return error_at(location(node, path), fmt::format("{} '{}' is not known", what, *text),
                  suggest(*text, accepted));
}

Status only_keys(const YAML::Node& mapping, const std::string& path, const std::string& what,
                 const std::vector<std::string>& known) {
  if (!mapping.IsMap()) return wrong(mapping, path, what, "a mapping");
  for (const auto& entry : mapping) {
    const std::string& key = entry.first.Scalar();
    bool found = false;
    for (const std::string& name : known) found = found || name == key;
    if (!found)
      return error_at(location(entry.first, path), fmt::format("unknown key '{}' in {}", key, what),
                      suggest(key, known));
  }
  return Done{};
}

}  // namespace forerun::yaml
