// Device addresses as a driver hands them out: in granules of 2 MiB, the lowest that are free
// first. Only their order matters, where PyTorch prefers the lower of two equal blocks.
#pragma once

#include <cstdint>
#include <map>

namespace forerun::allocator {

inline constexpr std::int64_t kPageBytes = 2ll << 20;  // device memory comes in multiples of this

std::int64_t round_to_pages(std::int64_t bytes);

class AddressSpace {
 public:
  std::uint64_t take(std::int64_t bytes);
  void give_back(std::uint64_t start, std::int64_t bytes);

 private:
  std::map<std::uint64_t, std::uint64_t> holes_;  // below top_: start, size; no two touch
  std::uint64_t top_ = static_cast<std::uint64_t>(kPageBytes);
};

}  // namespace forerun::allocator
