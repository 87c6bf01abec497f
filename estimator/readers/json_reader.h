// JSON whose shape is known: typed access with the place of what is wrong, within bounds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/result.h"

namespace forerun::readers {

struct JsonLimits {
  int depth = 40;
  std::int64_t values = 8'000'000;
  std::vector<std::string> without;  // keys whose values are dropped as they are read
};

// Errors: no JSON, nested too deep, too many values; with the byte.
Result<nlohmann::json> parse_json(const std::string& text, const JsonLimits& limits);

// What one document's values share: the first error is kept, and what is asked after it gives
// nothing.
struct JsonDocument {
  const nlohmann::json& root;
  std::optional<std::string> problem = {};
};

// A value, or the lack of one under a key of `parent`; messages say where it stands:
// "graph.nodes[3].target is missing". The document outlives it.
class JsonValue {
 public:
  explicit JsonValue(JsonDocument& document) : document_(&document), value_(&document.root) {}

  bool exists() const { return value_ != nullptr && !value_->is_null(); }
  // Absent where there is no such key. The key's text outlives what is given.
  JsonValue find(std::string_view key) const;
  std::string text() const;
  std::int64_t integer() const;
  double number() const;
  bool flag() const;
  // A union of the schema: its one key; the value is taken with find(key).
  std::string only_key() const;
  template <class Each>
  void each(Each call) const {
    if (!is(nlohmann::json::value_t::array, "a list")) return;
    for (const nlohmann::json& item : *value_) {
      call(JsonValue(document_, &item, value_, {}));
      if (document_->problem) return;
    }
  }
  template <class Each>
  void each_key(Each call) const {
    if (!is(nlohmann::json::value_t::object, "an object")) return;
    for (const auto& [key, item] : value_->items()) {
      call(key, JsonValue(document_, &item, value_, {}));
      if (document_->problem) return;
    }
  }
  void fail(const std::string& what) const;

 private:
  JsonValue(JsonDocument* document, const nlohmann::json* value, const nlohmann::json* parent,
            std::string_view key)
      : document_(document), value_(value), parent_(parent), key_(key) {}
  bool is(nlohmann::json::value_t type, const char* called) const;

  JsonDocument* document_;
  const nlohmann::json* value_;
  const nlohmann::json* parent_ = nullptr;
  std::string_view key_ = {};
};

}  // namespace forerun::readers
