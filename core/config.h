// A JSON object with places: what a model's own configuration (config.json) says.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"

namespace forerun {

// A value of the file; `null` and absent are the same.
class ConfigValue {
 public:
  enum class Kind { Null, Scalar, List, Object };
  Kind kind = Kind::Null;
  std::string text;  // of a scalar
  bool quoted = false;
  std::vector<ConfigValue> items;  // of a list, or of an object in the order of `names`
  std::vector<std::string> names;
  Location at;

  const ConfigValue* find(const std::string& name) const;
};

// Errors: the file cannot be read, is no JSON object, or is too large; with the place.
Result<ConfigValue> read_config(const std::string& path);
Result<ConfigValue> parse_config(const std::string& text, const std::string& path);

// Typed access to an object's fields. The first error is kept and later calls give fallbacks, so
// that a reader lists its fields and asks once: `if (fields.failed()) return fields.error();`.
class Fields {
 public:
  explicit Fields(const ConfigValue& object) : object_(object) {}

  // Required when there is no fallback.
  std::int64_t integer(const std::string& name, std::optional<std::int64_t> fallback = std::nullopt,
                       std::int64_t least = 1);
  // How many of something are built, layers or experts: at most 10,000, so that a wrong file costs
  // no memory.
  std::int64_t count(const std::string& name, std::optional<std::int64_t> fallback = std::nullopt);
  // null or absent: nothing.
  std::optional<std::int64_t> maybe_integer(const std::string& name, std::int64_t least = 1);
  double number(const std::string& name, std::optional<double> fallback = std::nullopt);
  bool flag(const std::string& name, bool fallback);
  std::string word(const std::string& name, std::optional<std::string> fallback = std::nullopt);
  std::vector<std::int64_t> integers(const std::string& name, std::vector<std::int64_t> fallback);
  std::vector<std::string> words(const std::string& name);
  const ConfigValue* object(const std::string& name);
  // A field that changes what is computed and is modelled in one setting only.
  void only(const std::string& name, bool modelled);
  void only(const std::string& name, const std::vector<std::string>& modelled,
            const std::string& fallback);
  // Fields known to change no byte.
  void neutral(std::initializer_list<const char*> names);

  bool has(const std::string& name);
  Location at(const std::string& name) const;
  void fail(const std::string& name, std::string message, std::string accepted = {});
  bool failed() const { return problem_.has_value(); }
  const Error& error() const { return *problem_; }
  // Names of the file that nobody has asked for.
  std::vector<std::string> unread() const;

 private:
  const ConfigValue* get(const std::string& name);

  const ConfigValue& object_;
  std::set<std::string> read_;
  std::optional<Error> problem_;
};

}  // namespace forerun
