// PyTorch's CUDA caching allocator, native backend (c10/cuda/CUDACachingAllocator.cpp, 2.11; with
// default options the arithmetic is the same from 1.13 on). Graph capture and private pools are not
// in it.
//
// It sees only allocations and frees. What a request "weighs" depends on what was cached before: a
// free block is split only when enough would be left, otherwise the request takes all of it.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "core/allocator_options.h"
#include "estimator/allocator/address_space.h"

namespace forerun::allocator {

inline constexpr std::int64_t kMinBlockBytes = 512;            // every size is a multiple of it
inline constexpr std::int64_t kSmallBytes = 1ll << 20;         // up to here: the small pool
inline constexpr std::int64_t kSmallSegmentBytes = 2ll << 20;  // its segments
inline constexpr std::int64_t kMinLargeBytes =
    10ll << 20;  // from here on a request gets a segment of its own
inline constexpr std::int64_t kRoundLargeBytes = 2ll << 20;  // own segments are multiples of this

std::int64_t round_size(std::int64_t bytes, const AllocatorOptions& options = {});
// Requests between the small pool and kMinLargeBytes share segments of large_segment_size_mb.
std::int64_t segment_size(std::int64_t rounded_bytes, const AllocatorOptions& options = {});

struct Statistics {
  std::int64_t allocated_bytes = 0;  // torch.cuda.memory_allocated(): whole blocks in use
  std::int64_t reserved_bytes = 0;   // torch.cuda.memory_reserved(): memory held
  std::int64_t active_bytes = 0;     // allocated, and given back but still read by another stream
  std::int64_t requested_bytes = 0;  // active, before rounding
  std::int64_t peak_allocated_bytes = 0;
  std::int64_t peak_reserved_bytes = 0;
  std::int64_t segments = 0;  // of cudaMalloc; expandable ones are not counted
  std::int64_t retries = 0;   // cache flushes forced by a full device
  std::int64_t out_of_memory = 0;
};

// What can be handed out in all, in 2 MiB pages, and the card's whole memory, of which
// per_process_memory_fraction is a share and expandable segments reserve 9/8 of addresses.
struct Memory {
  std::int64_t capacity_bytes;
  std::int64_t total_bytes;
  Memory(std::int64_t capacity)  // NOLINT(google-explicit-constructor): all of it can be handed out
      : Memory(capacity, capacity) {}
  Memory(std::int64_t capacity, std::int64_t total)
      : capacity_bytes(capacity), total_bytes(total) {}
};

using StreamId = std::uint32_t;
struct ExpandableSegment;
enum class State : std::uint8_t;

class CachingAllocator {
 public:
  // nullopt: no end of memory; then no share of it is allowed either, and no garbage is collected.
  explicit CachingAllocator(std::optional<Memory> memory = std::nullopt,
                            const AllocatorOptions& options = {});
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;

  struct Block;  // a handle; owned by the allocator, valid until freed

  // The block that holds the request, null when the device is full even after the cache was
  // emptied. bytes > 0 (PyTorch asks for nothing when a tensor is empty).
  Block* allocate(std::int64_t bytes, StreamId stream = 0);
  void free(Block* block);
  // tensor.record_stream(): when it is freed, the block waits for that stream. The stream is taken
  // to be done by the next allocation or empty_cache().
  void record_stream(Block* block, StreamId stream);
  void empty_cache();
  void reset_peaks();

  static std::int64_t size_bytes(const Block* block);  // what the request weighs
  static std::uint64_t address(const Block* block);
  const Statistics& statistics() const { return statistics_; }
  // What cudaMemGetInfo would call free; meaningless without an end of memory.
  std::int64_t device_free_bytes() const;
  std::optional<std::int64_t> allowed_bytes() const { return allowed_bytes_; }
  const std::optional<Memory>& memory() const { return memory_; }
  const AllocatorOptions& options() const { return options_; }

 private:
  struct Pool;
  struct Request {
    std::int64_t size = 0;  // rounded
    std::int64_t segment_bytes = 0;
    StreamId stream = 0;
    bool small = false;
  };

  Pool& pool(bool small) { return *(small ? small_ : large_); }
  bool collects_garbage() const;

  Block* take_unused(const Request& request);
  bool fits_within_limits(const Request& request, const Block* block) const;
  Block* obtain(const Request& request);
  Block* take_segment(const Request& request);
  Block* hand_out(Block* block, const Request& request, std::int64_t bytes);
  Block* split(Block* block, std::int64_t bytes);
  bool worth_splitting(const Block* block, const Request& request) const;

  void put_back(Block* block);
  bool absorb(Block* block, Block* neighbour);
  void end_waiting();
  void release(Block* block);
  void release_all(Pool& pool);
  bool release_oversize(const Request& request);
  void collect_garbage();

  // expandable_segments.cpp
  Block* expand(const Request& request);
  Block* find_expandable(const Request& request);
  Block* make_expandable_segment(const Request& request);
  bool map(Block* block, std::int64_t bytes);
  void unmap(Block* block);
  Block* cut_off(Block* block, std::uint64_t address, std::int64_t bytes, State state);
  void drop_segment(Block* block);

  Block* make_block();
  bool charge_device(std::int64_t bytes);
  void change_reserved(std::int64_t bytes);

  const std::optional<Memory> memory_;
  const AllocatorOptions options_;
  const std::int64_t max_split_bytes_;
  std::optional<std::int64_t> allowed_bytes_;
  std::int64_t device_used_bytes_ = 0;
  AddressSpace addresses_;
  std::unique_ptr<Pool> small_, large_;
  std::vector<std::unique_ptr<ExpandableSegment>> segments_;
  std::vector<Block*> waiting_;
  std::deque<Block> blocks_;    // every block there is or was
  std::vector<Block*> unused_;  // those to use again
  Statistics statistics_;
};

}  // namespace forerun::allocator
