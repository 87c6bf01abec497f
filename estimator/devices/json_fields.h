// A device profile's JSON as fields with positions: one object, whose members are strings, numbers,
// or one level of object of the same. Bounded: anything deeper, longer or repeated is an error with
// file, line and column.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "core/result.h"

namespace forerun::devices {

struct JsonField {
  std::variant<std::string, double> value;
  Location at;  // of the name
};

struct JsonFields {
  std::map<std::string, JsonField> members;
  std::map<std::string, std::map<std::string, JsonField>> objects;
  std::map<std::string, Location> object_places;
};

inline constexpr std::size_t kMaxProfileBytes = 64 << 10;

// Errors: not JSON, not one object, a list, a true/false/null, an object inside an object's object,
// a repeated name, more than kMaxProfileBytes.
Result<JsonFields> read_json_fields(const std::string& json, const std::string& path);

}  // namespace forerun::devices
