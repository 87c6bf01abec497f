// Blocks and the pools of unused ones. Internal to the allocator.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "estimator/allocator/caching_allocator.h"

namespace forerun::allocator {

struct ExpandableSegment {
  std::uint64_t start = 0;
  std::int64_t bytes = 0;  // of addresses
  std::int64_t page_bytes = 0;
};

// Unused: in a pool. Unmapped: addresses of an expandable segment without memory. Waiting: given
// back, but another stream may still read it.
enum class State : std::uint8_t { Unused, InUse, Waiting, Unmapped };

struct CachingAllocator::Block {
  std::int64_t size = 0;
  std::int64_t requested = 0;
  std::uint64_t address = 0;
  std::int64_t searches_before = 0;  // of its pool, when it was put there
  Block* previous = nullptr;         // neighbours in the same segment
  Block* next = nullptr;
  ExpandableSegment* segment = nullptr;  // null: a segment of its own from cudaMalloc
  StreamId stream = 0;
  State state = State::Unused;
  bool small = false;
  bool read_elsewhere = false;  // by a stream that is not its own

  bool is_split() const { return previous != nullptr || next != nullptr; }
};

struct CachingAllocator::Pool {
  struct BySize {
    bool operator()(const Block* a, const Block* b) const {
      if (a->stream != b->stream) return a->stream < b->stream;
      return a->size != b->size ? a->size < b->size : a->address < b->address;
    }
  };
  struct ByAddress {
    bool operator()(const Block* a, const Block* b) const {
      return a->stream != b->stream ? a->stream < b->stream : a->address < b->address;
    }
  };

  std::set<Block*, BySize> unused;
  std::set<Block*, ByAddress> unmapped;
  std::int64_t searches = 0;  // counted only where garbage is collected

  void insert(Block* block) {
    block->searches_before = searches;
    block->state = State::Unused;
    unused.insert(block);
  }
};

}  // namespace forerun::allocator
