// "did you mean": the known word closest to what was typed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace forerun {

// The word with the smallest edit distance, if it is small for the length (at most a third, at
// least 1).
std::optional<std::string> nearest(std::string_view typed, const std::vector<std::string>& known);

// "did you mean 'precision'? accepted: a, b, c" or "accepted: a, b, c".
std::string suggest(std::string_view typed, const std::vector<std::string>& known);

}  // namespace forerun
