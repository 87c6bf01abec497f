#include "estimator/devices/json_fields.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace forerun::devices {
namespace {

// nlohmann's SAX events carry no position; an iterator that counts what the lexer has consumed
// gives one.
class CountingIterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = char;
  using pointer = const char*;
  using reference = const char&;
  using iterator_category = std::input_iterator_tag;

  CountingIterator(const char* at, std::size_t* consumed) : at_(at), consumed_(consumed) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*consumed_;
    return *this;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* consumed_;
};

class FieldHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  FieldHandler(const std::string& text, const std::string& path) : text_(text), path_(path) {}

  std::size_t consumed = 0;
  JsonFields fields;
  std::optional<Error> problem;

  bool null() override { return refuse("null"); }
  bool boolean(bool value) override { return refuse(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return store(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    return store(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return store(value); }
  bool string(string_t& value) override { return store(value); }
  bool binary(binary_t&) override { return refuse("binary data"); }
  bool start_array(std::size_t) override { return refuse("a list"); }
  bool end_array() override { return true; }

  bool start_object(std::size_t) override {
    ++depth_;
    if (depth_ > 2) return fail("an object this deep is not part of a device profile");
    if (depth_ < 2) return true;
    object_ = name_;
    if (fields.members.contains(object_)) return repeated();
    if (!fields.object_places.emplace(object_, name_at_).second) return repeated();
    fields.objects[object_];
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool key(string_t& name) override {
    name_ = name;
    // The lexer stands behind the closing quote; an escape in a name only moves the column by its
    // own length.
    const std::size_t back = std::min(consumed, name.size() + 2);
    name_at_ = place(consumed - back);
    return true;
  }
  bool parse_error(std::size_t at, const std::string&,
                   const nlohmann::detail::exception& problem_found) override {
    problem = error_at(place(at == 0 ? 0 : at - 1),
                       fmt::format("not JSON: {}", reason(problem_found.what())));
    return false;
  }

 private:
  // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ...": the
  // tail is ours to say.
  static std::string reason(const std::string& what) {
    const std::size_t colon = what.find(": ");
    return colon == std::string::npos ? what : what.substr(colon + 2);
  }

  Location place(std::size_t offset) const {
    const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text_.size()));
    const auto line = std::count(text_.begin(), end, '\n') + 1;
    const auto newline = std::find(std::make_reverse_iterator(end), text_.rend(), '\n');
    const auto column = std::distance(newline.base(), end) + 1;
    return {path_, {static_cast<int>(line), static_cast<int>(column)}, {}};
  }

  bool fail(std::string message) {
    problem = error_at(name_at_, std::move(message));
    return false;
  }
  bool repeated() { return fail(fmt::format("{} is given twice", name_)); }
  bool refuse(const char* what) {
    if (depth_ == 0) {
      problem =
          error_at(place(0), fmt::format("{} is not a device profile", what), "one JSON object");
      return false;
    }
    return fail(fmt::format("{} is {}", name_, what));
  }

  template <class T>
  bool store(T value) {
    if (depth_ == 0) return refuse("a lone value");
    auto& into = depth_ == 1 ? fields.members : fields.objects[object_];
    if (depth_ == 1 && fields.objects.contains(name_)) return repeated();
    return into.emplace(name_, JsonField{std::move(value), name_at_}).second || repeated();
  }

  const std::string& text_;
  const std::string& path_;
  int depth_ = 0;
  std::string name_, object_;
  Location name_at_;
};

}  // namespace

Result<JsonFields> read_json_fields(const std::string& json, const std::string& path) {
  if (json.size() > kMaxProfileBytes) {
    return error_at({path, {}, {}}, fmt::format("a device profile of {} bytes; at most {} are read",
                                                json.size(), kMaxProfileBytes));
  }
  FieldHandler handler(json, path);
  const char* begin = json.data();
  const bool parsed =
      nlohmann::json::sax_parse(CountingIterator(begin, &handler.consumed),
                                CountingIterator(begin + json.size(), &handler.consumed), &handler);
  if (handler.problem) return *handler.problem;
  if (!parsed) return error_at({path, {}, {}}, "not JSON");
  return handler.fields;
}

}  // namespace forerun::devices
