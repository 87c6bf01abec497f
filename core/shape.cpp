#include "core/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/units.h"

namespace forerun {

std::optional<std::int64_t> numel(const Shape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t dim : shape) {
    const auto next = checked_mul(product, dim);
    if (!next) return std::nullopt;
    product = *next;
  }
  return product;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace forerun
