#include "core/spec_allocator.h"

#include <fmt/format.h>

namespace forerun {
namespace {

// A value of the mapping as the environment variable would write it.
Result<std::string> written(const std::string& key, const YAML::Node& value,
                            const std::string& path) {
  if (value.IsScalar()) {
    const auto flag = yaml::to_boolean(value.Scalar());
    return flag && !yaml::to_integer(value.Scalar()) ? std::string(*flag ? "True" : "False")
                                                     : value.Scalar();
  }
  if (!value.IsMap() || key != "roundup_power2_divisions") {
    return error_at(yaml::location(value, path),
                    fmt::format("allocator.{} is {}", key, yaml::describe(value)),
                    "a number, true or false");
  }
  std::string list;
  for (const auto& entry : value) {
    if (!entry.second.IsScalar())
      return error_at(yaml::location(entry.second, path),
                      fmt::format("allocator.{} has {}", key, yaml::describe(entry.second)),
                      "numbers of divisions by size in MiB: {256: 1, \">\": 4}");
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", entry.first.Scalar(),
                        entry.second.Scalar());
  }
  return "[" + list + "]";
}

Location inside(const YAML::Node& node, const std::string& path) {
  Location at = yaml::location(node, path);
  if (node.Tag() == "!") ++at.begin.column;  // past the quotation mark
  return at;
}

}  // namespace

Result<AllocatorOptions> read_allocator(const YAML::Node& node, const std::string& path) {
  if (node.IsScalar()) return parse_allocator_options(node.Scalar(), inside(node, path));
  const Location at = yaml::location(node, path);
  if (!node.IsMap())
    return error_at(at, fmt::format("allocator is {}", yaml::describe(node)),
                    "{expandable_segments: true}, or PYTORCH_CUDA_ALLOC_CONF's own text");
  AllocatorOptions options;
  for (const auto& entry : node) {
    const std::string& key = entry.first.Scalar();
    const auto value = written(key, entry.second, path);
    if (!value) return value.error();
    const Status fine =
        set_allocator_option(options, key, *value, yaml::location(entry.first, path),
                             yaml::location(entry.second, path));
    if (!fine) return fine.error();
  }
  if (const Status fine = check_pages(options, at); !fine) return fine.error();
  return options;
}

}  // namespace forerun
