// The shape of a tensor, outermost dimension first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace forerun {

using Shape = std::vector<std::int64_t>;

// Product of the dimensions, 1 for a 0-dim tensor; nullopt when it needs more than 64 bits.
std::optional<std::int64_t> numel(const Shape& shape);

// "[64, 1024]"
std::string to_string(const Shape& shape);

}  // namespace forerun
