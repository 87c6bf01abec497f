#include "estimator/devices/device.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/files.h"
#include "core/nearest.h"
#include "estimator/devices/catalog.h"
#include "estimator/devices/json_fields.h"

namespace forerun::devices {
namespace {

constexpr double kLargestInteger = 9007199254740992.0;  // 2^53: above it a JSON number is not exact

const std::vector<std::string>& arithmetics() {
  static const std::vector<std::string> known{"fp32", "tf32", "fp16", "bf16", "fp8"};
  return known;
}

const std::vector<std::string>& field_names() {
  static const std::vector<std::string> known{"vendor_name",
                                              "compute_capability",
                                              "multiprocessors",
                                              "max_threads_per_multiprocessor",
                                              "max_blocks_per_multiprocessor",
                                              "shared_memory_per_multiprocessor_bytes",
                                              "shared_memory_per_block_optin_bytes",
                                              "l2_cache_bytes",
                                              "total_memory_bytes",
                                              "context_bytes",
                                              "memory_bandwidth_bytes_per_s",
                                              "peak_flops_per_s",
                                              "sources"};
  return known;
}

// CUDA's device names have a line to themselves and at most 255 bytes; emulated ones travel in half
// of that.
constexpr std::size_t kLongestName = 127;

bool is_name(const std::string& text) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  return !text.empty() && text.size() <= kLongestName &&
         std::none_of(text.begin(), text.end(), is_control);
}

// Takes fields one by one and keeps the first error, so that parse() reads as the list of what a
// profile holds.
class Reader {
 public:
  Reader(const JsonFields& fields, const std::string& path) : fields_(fields), path_(path) {}

  std::string text(const std::string& name) {
    const JsonField* field = required(name);
    if (field == nullptr) return {};
    const auto* value = std::get_if<std::string>(&field->value);
    if (value != nullptr && is_name(*value)) return *value;
    fail(field->at, fmt::format("{} must be one line of 1 to {} bytes", name, kLongestName));
    return {};
  }

  std::int64_t integer(const std::string& name, double smallest, double largest) {
    const JsonField* field = required(name);
    if (field == nullptr) return 0;
    const auto* value = std::get_if<double>(&field->value);
    if (value != nullptr && *value >= smallest && *value <= largest &&
        *value == std::floor(*value)) {
      return static_cast<std::int64_t>(*value);
    }
    const std::string found = value == nullptr ? "a text" : fmt::format("{}", *value);
    fail(field->at, fmt::format("{} is {}", name, found),
         fmt::format("a whole number from {:.0f} to {:.0f}", smallest, largest));
    return 0;
  }

  void compute_capability(Device& device) {
    const std::string value = text("compute_capability");
    if (problem_) return;
    const char* end = value.data() + value.size();
    const auto major = std::from_chars(value.data(), end, device.compute_major);
    const bool dot = major.ec == std::errc() && major.ptr != end && *major.ptr == '.';
    const auto minor = dot ? std::from_chars(major.ptr + 1, end, device.compute_minor) : major;
    const bool in_range = device.compute_major >= 1 && device.compute_major <= 99 &&
                          device.compute_minor >= 0 && device.compute_minor <= 9;
    if (dot && minor.ec == std::errc() && minor.ptr == end && in_range) return;
    fail(fields_.members.at("compute_capability").at,
         fmt::format("compute_capability is '{}'", value),
         "major.minor in quotes, such as \"9.0\"");
  }

  std::map<std::string, double> peaks() {
    std::map<std::string, double> result;
    for (const auto& [name, field] : object("peak_flops_per_s")) {
      const auto* value = std::get_if<double>(&field.value);
      if (nearest_is_unknown(name, arithmetics(), field.at)) return result;
      if (value == nullptr || !(*value > 0) || *value > 1e19) {
        fail(field.at, fmt::format("peak_flops_per_s.{} must be a number above 0", name),
             "FLOP/s; leave out what is unknown");
        return result;
      }
      result[name] = *value;
    }
    return result;
  }

  std::map<std::string, std::string> sources() {
    std::map<std::string, std::string> result;
    for (const auto& [name, field] : object("sources")) {
      const auto* value = std::get_if<std::string>(&field.value);
      if (nearest_is_unknown(name, field_names(), field.at)) return result;
      if (value == nullptr || value->empty()) {
        fail(field.at, fmt::format("sources.{} must say where the number comes from", name));
        return result;
      }
      result[name] = *value;
    }
    return result;
  }

  // Every number says where it comes from.
  void need_sources(const std::map<std::string, std::string>& sources) {
    for (const std::string& name : field_names()) {
      const bool given = fields_.members.contains(name) || fields_.objects.contains(name);
      if (name == "sources" || !given || sources.contains(name)) continue;
      const auto member = fields_.members.find(name);
      const Location at =
          member != fields_.members.end() ? member->second.at : fields_.object_places.at(name);
      fail(at, fmt::format("{} has no entry in sources", name));
    }
  }

  void only_known() {
    for (const auto& [name, field] : fields_.members)
      nearest_is_unknown(name, field_names(), field.at);
    for (const auto& [name, at] : fields_.object_places)
      nearest_is_unknown(name, field_names(), at);
  }

  Location place(const std::string& name) const { return fields_.members.at(name).at; }
  void fail(Location at, std::string message, std::string accepted = {}) {
    if (!problem_) problem_ = error_at(std::move(at), std::move(message), std::move(accepted));
  }
  const std::optional<Error>& problem() const { return problem_; }

 private:
  const JsonField* required(const std::string& name) {
    if (problem_) return nullptr;
    const auto found = fields_.members.find(name);
    if (found != fields_.members.end()) return &found->second;
    const auto object = fields_.object_places.find(name);
    if (object != fields_.object_places.end())
      fail(object->second, fmt::format("{} is an object", name));
    fail({path_, {}, {}}, fmt::format("{} is missing", name));
    return nullptr;
  }

  const std::map<std::string, JsonField>& object(const std::string& name) {
    static const std::map<std::string, JsonField> nothing;
    const auto found = fields_.objects.find(name);
    if (found != fields_.objects.end()) return found->second;
    const auto member = fields_.members.find(name);
    fail(member == fields_.members.end() ? Location{path_, {}, {}} : member->second.at,
         fmt::format("{} must be an object", name));
    return nothing;
  }

  bool nearest_is_unknown(const std::string& name, const std::vector<std::string>& known,
                          const Location& at) {
    for (const std::string& word : known) {
      if (word == name) return false;
    }
    fail(at, fmt::format("unknown field '{}'", name), suggest(name, known));
    return true;
  }

  const JsonFields& fields_;
  const std::string& path_;
  std::optional<Error> problem_;
};

// "profiles/mine.json" -> "mine"
std::string stem(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  if (name.ends_with(".json")) name.resize(name.size() - 5);
  return name;
}

}  // namespace

Result<Device> parse(const std::string& json, const std::string& path) {
  const Result<JsonFields> fields = read_json_fields(json, path);
  if (!fields) return fields.error();
  Reader reader(*fields, path);
  reader.only_known();

  Device device;
  device.name = stem(path);
  device.vendor_name = reader.text("vendor_name");
  reader.compute_capability(device);
  device.multiprocessors = static_cast<int>(reader.integer("multiprocessors", 1, 4096));
  device.max_threads_per_multiprocessor =
      static_cast<int>(reader.integer("max_threads_per_multiprocessor", 32, 1 << 16));
  device.max_blocks_per_multiprocessor =
      static_cast<int>(reader.integer("max_blocks_per_multiprocessor", 1, 1 << 12));
  device.shared_memory_per_multiprocessor_bytes =
      reader.integer("shared_memory_per_multiprocessor_bytes", 1 << 10, 1 << 26);
  device.shared_memory_per_block_optin_bytes =
      reader.integer("shared_memory_per_block_optin_bytes", 1 << 10, 1 << 26);
  device.l2_cache_bytes = reader.integer("l2_cache_bytes", 1 << 10, 1ll << 36);
  device.total_memory_bytes = reader.integer("total_memory_bytes", 1 << 26, kLargestInteger);
  device.context_bytes = reader.integer("context_bytes", 0, kLargestInteger);
  device.memory_bandwidth_bytes_per_s =
      reader.integer("memory_bandwidth_bytes_per_s", 1, kLargestInteger);
  device.peak_flops_per_s = reader.peaks();
  device.sources = reader.sources();
  reader.need_sources(device.sources);
  if (!reader.problem() && device.context_bytes >= device.total_memory_bytes) {
    reader.fail(reader.place("context_bytes"),
                "context_bytes leaves nothing of total_memory_bytes");
  }
  if (reader.problem()) return *reader.problem();
  return device;
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const CatalogEntry& entry : catalog()) result.emplace_back(entry.id);
  return result;
}

Result<Device> find(const std::string& name) {
  if (name.ends_with(".json")) {
    const Result<std::string> text = read_file(name, static_cast<std::int64_t>(kMaxProfileBytes));
    if (!text) return text.error();
    return parse(*text, name);
  }
  for (const CatalogEntry& entry : catalog()) {
    if (entry.id == name) return parse(std::string(entry.json), std::string(entry.id) + ".json");
  }
  return error(fmt::format("unknown GPU '{}'", name),
               suggest(name, names()) + "; or a profile of your own ending in .json");
}

}  // namespace forerun::devices
