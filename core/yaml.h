// YAML with places: a bounded document, typed access, and errors that say where and what would be
// accepted. Internal to the spec reader; nobody else sees yaml-cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "core/result.h"

namespace forerun::yaml {

// One document with everything in it reachable by a bounded walk: aliases are counted each time
// they are used (a "billion laughs" file is an error, not a day of work), nesting is bounded, keys
// are unique scalars.
Result<YAML::Node> parse(const std::string& text, const std::string& path);

Location location(const YAML::Node& node, const std::string& path);

bool is_null(const YAML::Node& node);
// "a list", "a mapping", "'abc'": how an error names what it found.
std::string describe(const YAML::Node& node);

Result<std::int64_t> integer(const YAML::Node& node, const std::string& path,
                             const std::string& what, std::int64_t least);
Result<double> real(const YAML::Node& node, const std::string& path, const std::string& what);
Result<bool> boolean(const YAML::Node& node, const std::string& path, const std::string& what);
Result<std::string> word(const YAML::Node& node, const std::string& path, const std::string& what);
// A word out of a few.
Result<std::size_t> choice(const YAML::Node& node, const std::string& path, const std::string& what,
                           const std::vector<std::string>& accepted);

// Every key of the mapping is one of `known`, else an error at the key that names the nearest.
Status only_keys(const YAML::Node& mapping, const std::string& path, const std::string& what,
                 const std::vector<std::string>& known);

// The whole text as a number, or nothing. Integers that need more than 64 bits are nothing.
std::optional<std::int64_t> to_integer(const std::string& text);
std::optional<double> to_real(const std::string& text);
std::optional<bool> to_boolean(const std::string& text);
bool looks_like_integer(const std::string& text);

}  // namespace forerun::yaml
