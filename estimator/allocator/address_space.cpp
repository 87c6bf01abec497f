#include "estimator/allocator/address_space.h"

#include <iterator>

namespace forerun::allocator {

std::int64_t round_to_pages(std::int64_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

std::uint64_t AddressSpace::take(std::int64_t bytes) {
  const auto size = static_cast<std::uint64_t>(round_to_pages(bytes));
  for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
    const auto [start, room] = *hole;
    if (room < size) continue;
    holes_.erase(hole);
    if (room > size) holes_.emplace(start + size, room - size);
    return start;
  }
  const std::uint64_t start = top_;
  top_ += size;
  return start;
}

void AddressSpace::give_back(std::uint64_t start, std::int64_t bytes) {
  auto size = static_cast<std::uint64_t>(round_to_pages(bytes));
  auto after = holes_.lower_bound(start);
  if (after != holes_.end() && after->first == start + size) {
    size += after->second;
    after = holes_.erase(after);
  }
  if (after != holes_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == start) {
      start = before->first;
      size += before->second;
      holes_.erase(before);
    }
  }
  if (start + size == top_)
    top_ = start;
  else
    holes_.emplace(start, size);
}

}  // namespace forerun::allocator
