#include "core/units.h"

#include <cctype>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace forerun {

std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

std::string with_thousands(std::int64_t n) {
  std::string digits = std::to_string(n);
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) digits.insert(i -= 3, 1, ',');
  return digits;
}

std::string format_bytes(std::int64_t bytes) {
  const double size = static_cast<double>(bytes);
  const double magnitude = std::abs(size);
  if (magnitude < 1024) return fmt::format("{} B", bytes);
  if (magnitude < kMiB) return fmt::format("{:.1f} KiB", size / kKiB);
  if (magnitude < 10.0 * kGiB) return fmt::format("{:.1f} MiB", size / kMiB);
  return fmt::format("{:.2f} GiB", size / kGiB);
}

std::string format_seconds(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::optional<std::int64_t> parse_bytes(const std::string& text) {
  std::string number;
  std::string unit;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ',') continue;
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (digit && unit.empty())
      number += c;
    else
      unit += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (number.empty() || *end != '\0') return std::nullopt;
  double scale = 0;
  if (unit.empty() || unit == "b") scale = 1;
  if (unit == "k" || unit == "kb" || unit == "kib") scale = kKiB;
  if (unit == "m" || unit == "mb" || unit == "mib") scale = kMiB;
  if (unit == "g" || unit == "gb" || unit == "gib") scale = kGiB;
  if (scale == 0 || value * scale > 9e18) return std::nullopt;
  return static_cast<std::int64_t>(value * scale);
}

}  // namespace forerun
