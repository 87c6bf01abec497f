// Sizes and times as people read them, and arithmetic that notices when 64 bits are not enough.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace forerun {

inline constexpr std::int64_t kKiB = 1ll << 10;
inline constexpr std::int64_t kMiB = 1ll << 20;
inline constexpr std::int64_t kGiB = 1ll << 30;

// Of numbers that are not negative: how many `by` hold n; the next multiple of `to`.
constexpr std::int64_t ceil_div(std::int64_t n, std::int64_t by) { return (n + by - 1) / by; }
constexpr std::int64_t round_up(std::int64_t n, std::int64_t to) { return ceil_div(n, to) * to; }

// nullopt on overflow or a negative operand.
std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b);

// "1,972,996,096"
std::string with_thousands(std::int64_t n);
// "1881.6 MiB", "512 B": binary units, one digit.
std::string format_bytes(std::int64_t bytes);
// "15.6 min", "1.25 ms", "12.3 us"
std::string format_seconds(double seconds);
// "8,192 B", "16 KiB", "24GiB", "24 GiB", "80g": what a command line accepts; nullopt otherwise.
std::optional<std::int64_t> parse_bytes(const std::string& text);

}  // namespace forerun
