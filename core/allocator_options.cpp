#include "core/allocator_options.h"

#include <algorithm>
#include <bit>
#include <vector>

#include <fmt/format.h>

#include "core/nearest.h"
#include "core/text.h"

namespace forerun {
namespace {

constexpr std::int64_t kMostMebibytes = 1ll << 40;  // more than any address
constexpr std::int64_t kLeastLargeSegment = 11;     // "must be > 10 MB"
const std::vector<std::string> kKeys = {
    "expandable_segments",         "max_split_size_mb",
    "max_non_split_rounding_mb",   "large_segment_size_mb",
    "roundup_power2_divisions",    "garbage_collection_threshold",
    "per_process_memory_fraction", "backend"};
// Known to PyTorch and of no consequence for device memory in a trace.
const std::vector<std::string> kNoEffect = {
    "pinned_use_background_threads", "pinned_use_cuda_host_register",
    "pinned_num_register_threads",   "pinned_reserve_segment_size_mb",
    "release_lock_on_cudamalloc",    "graph_capture_record_stream_reuse"};

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

struct Value {
  std::string_view key, text;
  Location at;
  Error refuse(const std::string& accepted) const {
    return error_at(at, fmt::format("allocator option {} is '{}'", key, text), accepted);
  }
};

Status set_flag(const Value& value, bool& into) {
  if (value.text != "True" && value.text != "False") return value.refuse("True or False");
  into = value.text == "True";
  return Done{};
}

Result<std::int64_t> mebibytes(const Value& value, std::int64_t least) {
  const auto number = to_number<std::int64_t>(value.text);
  if (!number || *number < least || *number > kMostMebibytes)
    return value.refuse(fmt::format("a whole number of MiB, at least {}", least));
  return *number;
}

Result<double> share(const Value& value, bool open) {
  const auto number = to_number<double>(value.text);
  const bool inside = number && (open ? *number > 0 && *number < 1 : *number >= 0 && *number <= 1);
  if (!inside)
    return value.refuse(open ? "a number between 0 and 1, both excluded" : "a number from 0 to 1");
  return *number;
}

bool is_power_of_two(std::int64_t number) {
  return number > 0 && std::has_single_bit(static_cast<std::uint64_t>(number));
}

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.size()) return parts;
    begin = end + 1;
  }
}

// The list's entries in their order, as PyTorch applies them: the first also stands for everything
// below it, `>` for everything above the last one named.
Status set_divisions(const Value& value, AllocatorOptions& options) {
  auto& divisions = options.roundup_power2_divisions;
  const std::string accepted =
      "a power of two, or a list by size in MiB such as [256:1,512:2,1024:4,>:8]";
  if (value.text.empty() || value.text.front() != '[') {
    const auto all = to_number<std::int64_t>(value.text);
    if (!all || !is_power_of_two(*all)) return value.refuse(accepted);
    divisions.fill(*all);
    return Done{};
  }
  if (value.text.back() != ']') return value.refuse(accepted);
  std::string_view inside = value.text.substr(1, value.text.size() - 2);
  if (!inside.empty() && inside.back() == ',') inside.remove_suffix(1);
  bool first = true;
  std::size_t last = 0;
  for (const std::string_view entry :
       inside.empty() ? std::vector<std::string_view>{} : split(inside, ',')) {
    const auto parts = split(entry, ':');
    const auto steps = parts.size() == 2 ? to_number<std::int64_t>(parts[1]) : std::nullopt;
    if (!steps || (*steps != 0 && !is_power_of_two(*steps))) return value.refuse(accepted);
    if (parts[0] == ">") {
      std::fill(divisions.begin() + static_cast<std::ptrdiff_t>(last) + 1, divisions.end(), *steps);
      continue;
    }
    const auto size = to_number<std::int64_t>(parts[0]);
    if (!size || !is_power_of_two(*size)) return value.refuse(accepted);
    const auto power = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(*size)));
    last = std::min(power - 1, divisions.size() - 1);
    if (first)
      std::fill(divisions.begin(), divisions.begin() + static_cast<std::ptrdiff_t>(last), *steps);
    first = false;
    divisions[last] = *steps;
  }
  return Done{};
}

template <class Number, class Field>
Status keep(const Result<Number>& made, Field& into) {
  if (!made) return made.error();
  into = *made;
  return Done{};
}

// Where the text is on one line, an offset in it is a column.
Location shifted(Location at, std::size_t from, std::size_t to) {
  if (at.begin.line == 0 && at.begin.column == 0) at.begin = {1, 1};
  const int start = at.begin.column;
  at.end = {at.begin.line, start + static_cast<int>(to)};
  at.begin.column = start + static_cast<int>(from);
  return at;
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// White space means nothing to PyTorch, wherever it stands.
std::string without_spaces(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (!is_space(c)) made += c;
  }
  return made;
}

// One past the entry that begins at `begin`: a comma outside brackets ends it.
std::size_t end_of_entry(std::string_view text, std::size_t begin) {
  bool inside = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '[') inside = true;
    if (text[i] == ']') inside = false;
    if (text[i] == ',' && !inside) return i;
  }
  return text.size();
}

std::size_t skip_space(std::string_view text, std::size_t from) {
  while (from < text.size() && is_space(text[from])) ++from;
  return from;
}

Status read_entry(AllocatorOptions& options, std::string_view text, std::size_t begin,
                  std::size_t end, const Location& at) {
  begin = skip_space(text.substr(0, end), begin);
  const std::string_view entry = text.substr(begin, end - begin);
  const std::size_t colon = entry.find(':');
  const std::string key = without_spaces(entry.substr(0, colon));
  if (colon == std::string_view::npos || key.empty()) {
    return error_at(
        shifted(at, begin, end),
        fmt::format("allocator option '{}' has no {}", entry, key.empty() ? "name" : "value"),
        "key:value pairs with commas between them, such as expandable_segments:True");
  }
  const std::size_t value = skip_space(text.substr(0, end), begin + colon + 1);
  return set_allocator_option(options, key, without_spaces(text.substr(value, end - value)),
                              shifted(at, begin, begin + colon), shifted(at, value, end));
}

void write_divisions(const AllocatorOptions& options, std::string& made) {
  const auto& all = options.roundup_power2_divisions;
  if (all == AllocatorOptions{}.roundup_power2_divisions) return;
  made += ",roundup_power2_divisions:";
  if (std::all_of(all.begin(), all.end(), [&](std::int64_t one) { return one == all[0]; })) {
    made += std::to_string(all[0]);
    return;
  }
  std::string list;
  for (std::size_t i = 0; i < all.size(); ++i)
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", 1ll << i, all[i]);
  made += "[" + list + "]";
}

}  // namespace

Status set_allocator_option(AllocatorOptions& options, std::string_view key, std::string_view text,
                            const Location& key_at, const Location& value_at) {
  const Value value{key, text, value_at};
  if (key == "expandable_segments") return set_flag(value, options.expandable_segments);
  // PyTorch compares with the large segments that are set so far.
  if (key == "max_split_size_mb")
    return keep(mebibytes(value, options.large_segment_size_mb), options.max_split_size_mb);
  if (key == "max_non_split_rounding_mb")
    return keep(mebibytes(value, options.large_segment_size_mb), options.max_non_split_rounding_mb);
  if (key == "large_segment_size_mb")
    return keep(mebibytes(value, kLeastLargeSegment), options.large_segment_size_mb);
  if (key == "roundup_power2_divisions") return set_divisions(value, options);
  if (key == "garbage_collection_threshold")
    return keep(share(value, true), options.garbage_collection_threshold);
  if (key == "per_process_memory_fraction")
    return keep(share(value, false), options.per_process_memory_fraction);
  if (key == "backend") {
    if (text == "native") return Done{};
    if (text == "cudaMallocAsync")
      return error_at(value_at, "the cudaMallocAsync backend is not modelled", "backend:native");
    return value.refuse("native");
  }
  if (contains(kNoEffect, key)) return Done{};
  return error_at(key_at, fmt::format("allocator option '{}' is not known", key),
                  suggest(key, kKeys));
}

Status check_pages(const AllocatorOptions& options, const Location& at) {
  if (!options.expandable_segments || options.large_segment_size_mb % 2 == 0) return Done{};
  return error_at(at,
                  fmt::format("large_segment_size_mb {} cannot be a page of expandable segments: "
                              "CUDA maps memory in multiples of 2 MiB",
                              options.large_segment_size_mb),
                  "an even number of MiB");
}

Result<AllocatorOptions> parse_allocator_options(std::string_view text, const Location& at) {
  AllocatorOptions options;
  for (std::size_t begin = 0; skip_space(text, begin) < text.size();) {
    const std::size_t end = end_of_entry(text, begin);
    if (const Status fine = read_entry(options, text, begin, end, at); !fine) return fine.error();
    begin = end + 1;
  }
  if (const Status fine = check_pages(options, shifted(at, 0, text.size())); !fine)
    return fine.error();
  return options;
}

std::string text(const AllocatorOptions& options) {
  const AllocatorOptions defaults;
  std::string made;
  if (options.expandable_segments) made += ",expandable_segments:True";
  if (options.large_segment_size_mb != defaults.large_segment_size_mb)
    made += fmt::format(",large_segment_size_mb:{}", options.large_segment_size_mb);
  if (options.max_split_size_mb)
    made += fmt::format(",max_split_size_mb:{}", *options.max_split_size_mb);
  if (options.max_non_split_rounding_mb)
    made += fmt::format(",max_non_split_rounding_mb:{}", *options.max_non_split_rounding_mb);
  write_divisions(options, made);
  if (options.garbage_collection_threshold > 0)
    made += fmt::format(",garbage_collection_threshold:{}", options.garbage_collection_threshold);
  if (options.per_process_memory_fraction)
    made += fmt::format(",per_process_memory_fraction:{}", *options.per_process_memory_fraction);
  return made.empty() ? made : made.substr(1);
}

}  // namespace forerun
