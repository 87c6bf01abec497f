// PyTorch's CUDA caching allocator, native backend, default options, one stream
// (c10/cuda/CUDACachingAllocator.cpp, 2.11; the arithmetic is the same from 1.13 on).
//
// It sees only allocations and frees. What a request "weighs" depends on what was cached before: a
// free block is split only when enough would be left, otherwise the request takes all of it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <vector>

namespace forerun::allocator {

inline constexpr std::int64_t kMinBlockBytes = 512;            // every size is a multiple of it
inline constexpr std::int64_t kSmallBytes = 1ll << 20;         // up to here: the small pool
inline constexpr std::int64_t kSmallSegmentBytes = 2ll << 20;  // its segments
inline constexpr std::int64_t kMinLargeBytes =
    10ll << 20;  // from here on a request gets a segment of its own
inline constexpr std::int64_t kLargeSegmentBytes =
    20ll << 20;  // below that, large requests share segments of this size
inline constexpr std::int64_t kRoundLargeBytes = 2ll << 20;  // own segments are multiples of this

std::int64_t round_size(std::int64_t bytes);
std::int64_t segment_size(std::int64_t rounded_bytes);

struct Statistics {
  std::int64_t allocated_bytes = 0;  // torch.cuda.memory_allocated(): whole blocks in use
  std::int64_t reserved_bytes = 0;   // torch.cuda.memory_reserved(): segments held
  std::int64_t peak_allocated_bytes = 0;
  std::int64_t peak_reserved_bytes = 0;
  std::int64_t retries = 0;  // cache flushes forced by a full device
};

class CachingAllocator {
 public:
  // capacity_bytes: what cudaMalloc can hand out in all, in 2 MiB granules; nullopt: no end.
  explicit CachingAllocator(std::optional<std::int64_t> capacity_bytes = std::nullopt);
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  struct Block;  // a handle; owned by the allocator, valid until freed

  // The block that holds the request, null when the device is full even after the cache was
  // emptied. bytes > 0 (PyTorch asks for nothing when a tensor is empty).
  Block* allocate(std::int64_t bytes);
  void free(Block* block);
  void empty_cache();
  void reset_peaks();

  static std::int64_t size_bytes(const Block* block);  // what the request weighs
  const Statistics& statistics() const { return statistics_; }

 private:
  struct BySizeThenAddress {
    bool operator()(const Block* a, const Block* b) const;
  };
  using Pool = std::set<Block*, BySizeThenAddress>;

  Pool& pool(bool small) { return small ? small_ : large_; }
  Block* take_free(std::int64_t bytes, bool small);
  Block* take_segment(std::int64_t bytes, bool small);
  Block* make_block();
  Block* split(Block* block, std::int64_t bytes);
  void absorb(Block* block, Block* neighbour);

  const std::optional<std::int64_t> capacity_bytes_;
  std::int64_t device_used_bytes_ = 0;
  std::uint64_t next_address_ = 0;
  Pool small_, large_;
  std::deque<Block> blocks_;    // every block there is or was
  std::vector<Block*> unused_;  // those to use again
  Statistics statistics_;
};

}  // namespace forerun::allocator
