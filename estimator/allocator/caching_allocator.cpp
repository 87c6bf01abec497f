#include "estimator/allocator/caching_allocator.h"

#include <algorithm>

namespace forerun::allocator {

struct CachingAllocator::Block {
  std::int64_t size = 0;
  std::uint64_t address = 0;
  bool small = false;
  bool in_use = false;
  Block* previous = nullptr;  // neighbours in the same segment
  Block* next = nullptr;
};

bool CachingAllocator::BySizeThenAddress::operator()(const Block* a, const Block* b) const {
  return a->size != b->size ? a->size < b->size : a->address < b->address;
}

std::int64_t round_size(std::int64_t bytes) {
  if (bytes < kMinBlockBytes) return kMinBlockBytes;
  return (bytes + kMinBlockBytes - 1) / kMinBlockBytes * kMinBlockBytes;
}

std::int64_t segment_size(std::int64_t rounded_bytes) {
  if (rounded_bytes <= kSmallBytes) return kSmallSegmentBytes;
  if (rounded_bytes < kMinLargeBytes) return kLargeSegmentBytes;
  return (rounded_bytes + kRoundLargeBytes - 1) / kRoundLargeBytes * kRoundLargeBytes;
}

CachingAllocator::CachingAllocator(std::optional<std::int64_t> capacity_bytes)
    : capacity_bytes_(capacity_bytes) {}
CachingAllocator::~CachingAllocator() = default;

std::int64_t CachingAllocator::size_bytes(const Block* block) { return block->size; }

// Best fit: the smallest free block that is large enough, the lowest address among equals.
CachingAllocator::Block* CachingAllocator::take_free(std::int64_t bytes, bool small) {
  Block wanted;
  wanted.size = bytes;
  Pool& free_blocks = pool(small);
  const auto found = free_blocks.lower_bound(&wanted);
  if (found == free_blocks.end()) return nullptr;
  Block* block = *found;
  free_blocks.erase(found);
  return block;
}

CachingAllocator::Block* CachingAllocator::take_segment(std::int64_t bytes, bool small) {
  const std::int64_t size = segment_size(bytes);
  if (capacity_bytes_ && device_used_bytes_ + size > *capacity_bytes_) return nullptr;
  device_used_bytes_ += size;
  statistics_.reserved_bytes += size;
  statistics_.peak_reserved_bytes =
      std::max(statistics_.peak_reserved_bytes, statistics_.reserved_bytes);
  Block* block = make_block();
  block->size = size;
  block->address = next_address_;
  block->small = small;
  next_address_ += static_cast<std::uint64_t>(size);
  return block;
}

CachingAllocator::Block* CachingAllocator::make_block() {
  if (unused_.empty()) return &blocks_.emplace_back();
  Block* block = unused_.back();
  unused_.pop_back();
  *block = Block{};
  return block;
}

// The front `bytes` of the block are handed out; the rest goes back to the pool.
CachingAllocator::Block* CachingAllocator::split(Block* block, std::int64_t bytes) {
  Block* front = make_block();
  front->size = bytes;
  front->address = block->address;
  front->small = block->small;
  front->previous = block->previous;
  front->next = block;
  if (front->previous != nullptr) front->previous->next = front;
  block->previous = front;
  block->address += static_cast<std::uint64_t>(bytes);
  block->size -= bytes;
  pool(block->small).insert(block);
  return front;
}

CachingAllocator::Block* CachingAllocator::allocate(std::int64_t bytes) {
  const std::int64_t size = round_size(bytes);
  const bool small = size <= kSmallBytes;
  Block* block = take_free(size, small);
  if (block == nullptr) block = take_segment(size, small);
  if (block == nullptr) {
    empty_cache();
    ++statistics_.retries;
    block = take_segment(size, small);
  }
  if (block == nullptr) return nullptr;
  const std::int64_t left = block->size - size;
  const bool worth_splitting = small ? left >= kMinBlockBytes : left > kSmallBytes;
  if (worth_splitting) block = split(block, size);
  block->in_use = true;
  statistics_.allocated_bytes += block->size;
  statistics_.peak_allocated_bytes =
      std::max(statistics_.peak_allocated_bytes, statistics_.allocated_bytes);
  return block;
}

// Merges a free neighbour into the block.
void CachingAllocator::absorb(Block* block, Block* neighbour) {
  if (neighbour == nullptr || neighbour->in_use) return;
  pool(block->small).erase(neighbour);
  if (neighbour == block->previous) {
    block->address = neighbour->address;
    block->previous = neighbour->previous;
    if (block->previous != nullptr) block->previous->next = block;
  } else {
    block->next = neighbour->next;
    if (block->next != nullptr) block->next->previous = block;
  }
  block->size += neighbour->size;
  unused_.push_back(neighbour);
}

void CachingAllocator::free(Block* block) {
  block->in_use = false;
  statistics_.allocated_bytes -= block->size;
  absorb(block, block->previous);
  absorb(block, block->next);
  pool(block->small).insert(block);
}

void CachingAllocator::empty_cache() {
  for (Pool* free_blocks : {&large_, &small_}) {
    std::erase_if(*free_blocks, [&](Block* block) {
      if (block->previous != nullptr || block->next != nullptr) return false;
      device_used_bytes_ -= block->size;
      statistics_.reserved_bytes -= block->size;
      unused_.push_back(block);
      return true;
    });
  }
}

void CachingAllocator::reset_peaks() {
  statistics_.peak_allocated_bytes = statistics_.allocated_bytes;
  statistics_.peak_reserved_bytes = statistics_.reserved_bytes;
}

}  // namespace forerun::allocator
