#include "estimator/readers/json_reader.h"

#include <algorithm>

#include <fmt/format.h>

namespace forerun::readers {

using Json = nlohmann::json;

Result<Json> parse_json(const std::string& text, const JsonLimits& limits) {
  std::int64_t values = 0;
  bool too_deep = false;
  bool drops = false;
  // Beyond a limit everything is dropped, so that no more memory is taken.
  const auto keep = [&](int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > limits.depth) too_deep = true;
    if (event == Event::value || event == Event::object_start || event == Event::array_start)
      ++values;
    if (too_deep || values > limits.values) return false;
    if (event == Event::key)
      drops = std::find(limits.without.begin(), limits.without.end(),
                        parsed.get_ref<const std::string&>()) != limits.without.end();
    return event != Event::key || !drops;
  };
  Json made = Json::parse(text, keep, false);
  if (too_deep) return error(fmt::format("JSON nested deeper than {}", limits.depth));
  if (values > limits.values) return error(fmt::format("more than {} values", limits.values));
  if (!made.is_discarded()) return made;
  // Once more for the place alone.
  struct Finder : nlohmann::json_sax<Json> {
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t at, const std::string&,
                     const nlohmann::detail::exception&) override {
      byte = at;
      return false;
    }
    std::size_t byte = 0;
  } finder;
  Json::sax_parse(text, &finder);
  return error(fmt::format("no JSON at byte {}", finder.byte));
}

namespace {

// Where `wanted` stands below `from`, which is spelled `at`; nothing when it is not there.
std::optional<std::string> place_of(const Json& from, const Json* wanted, const std::string& at) {
  if (&from == wanted) return at;
  if (!from.is_structured()) return std::nullopt;
  std::size_t index = 0;
  for (auto item = from.begin(); item != from.end(); ++item) {
    const std::string own = from.is_array() ? fmt::format("{}[{}]", at, index++)
                            : at.empty()    ? item.key()
                                            : fmt::format("{}.{}", at, item.key());
    if (auto found = place_of(*item, wanted, own)) return found;
  }
  return std::nullopt;
}

}  // namespace

void JsonValue::fail(const std::string& what) const {
  if (document_->problem) return;
  const Json* known = value_ != nullptr ? value_ : parent_;
  std::string at = place_of(document_->root, known, "").value_or("");
  if (value_ == nullptr) at += fmt::format("{}{}", at.empty() ? "" : ".", key_);
  document_->problem = at.empty() ? what : fmt::format("{} {}", at, what);
}

bool JsonValue::is(Json::value_t type, const char* called) const {
  if (document_->problem) return false;
  if (value_ == nullptr || value_->is_null()) {
    fail("is missing");
    return false;
  }
  if (value_->type() == type) return true;
  fail(fmt::format("is {}, expected {}", value_->type_name(), called));
  return false;
}

JsonValue JsonValue::find(std::string_view key) const {
  if (!is(Json::value_t::object, "an object")) return {document_, nullptr, value_, key};
  const auto found = value_->find(key);
  return {document_, found == value_->end() ? nullptr : &*found, value_, key};
}

std::string JsonValue::text() const {
  return is(Json::value_t::string, "text") ? value_->get<std::string>() : std::string{};
}

std::int64_t JsonValue::integer() const {
  if (document_->problem) return 0;
  if (!exists()) {
    fail("is missing");
    return 0;
  }
  const bool fits = value_->is_number_integer() &&
                    (!value_->is_number_unsigned() || value_->get<std::uint64_t>() <= INT64_MAX);
  if (fits) return value_->get<std::int64_t>();
  fail("is no whole number of 64 bits");
  return 0;
}

// serde writes what JSON has no number for as text.
double JsonValue::number() const {
  if (document_->problem) return 0;
  if (exists() && value_->is_number()) return value_->get<double>();
  if (exists() && value_->is_string()) {
    const std::string word = value_->get<std::string>();
    if (word == "Infinity") return std::numeric_limits<double>::infinity();
    if (word == "-Infinity") return -std::numeric_limits<double>::infinity();
    if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  }
  fail(exists() ? "is no number" : "is missing");
  return 0;
}

bool JsonValue::flag() const {
  return is(Json::value_t::boolean, "true or false") && value_->get<bool>();
}

std::string JsonValue::only_key() const {
  if (!is(Json::value_t::object, "an object")) return {};
  if (value_->size() == 1) return value_->begin().key();
  fail(fmt::format("has {} keys, expected one", value_->size()));
  return {};
}

}  // namespace forerun::readers
