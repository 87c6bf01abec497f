// What each option does, one small scene each. That all of it together is PyTorch's behaviour is
// shown by scripts/check_allocator_truth.
#include <vector>

#include <gtest/gtest.h>

#include "core/units.h"
#include "estimator/allocator/caching_allocator.h"
#include "estimator/allocator/out_of_memory.h"

namespace forerun::allocator {
namespace {

using Block = CachingAllocator::Block;

AllocatorOptions options(const std::string& words) {
  const auto made = parse_allocator_options(words, {});
  EXPECT_TRUE(made) << words;
  return *made;
}

std::int64_t weight(CachingAllocator& allocator, std::int64_t bytes) {
  return CachingAllocator::size_bytes(allocator.allocate(bytes));
}

TEST(RoundupDivisions, RoundToStepsBetweenPowersOfTwo) {
  CachingAllocator allocator(std::nullopt, options("roundup_power2_divisions:4"));
  EXPECT_EQ(weight(allocator, 1200), 1536);  // up to 4 blocks of 512: as always
  EXPECT_EQ(weight(allocator, 3'000'000), 3'145'728);
  EXPECT_EQ(weight(allocator, 100'000'000), 100'663'296);
  EXPECT_EQ(weight(allocator, 4 * kMiB), 4 * kMiB);
}

TEST(MaxSplitSize, KeepsOversizeBlocksForOversizeRequests) {
  CachingAllocator allocator(std::nullopt, options("max_split_size_mb:50"));
  allocator.free(allocator.allocate(60 * kMiB));
  EXPECT_EQ(weight(allocator, 30 * kMiB), 30 * kMiB);
  EXPECT_EQ(allocator.statistics().reserved_bytes, 90 * kMiB);
  EXPECT_EQ(weight(allocator, 52 * kMiB), 60 * kMiB);  // within 20 MiB of what was asked, whole
  EXPECT_EQ(allocator.statistics().reserved_bytes, 90 * kMiB);
}

// Seen in 2.11: where it is not said how much larger a block may be, large segments say it.
TEST(MaxSplitSize, MayBeExceededByALargeSegment) {
  CachingAllocator allocator(std::nullopt,
                             options("large_segment_size_mb:64,max_split_size_mb:64"));
  allocator.free(allocator.allocate(104 * kMiB));
  EXPECT_EQ(weight(allocator, 80 * kMiB), 104 * kMiB);
}

TEST(MaxSplitSize, OversizeBlocksGoFirstWhenMemoryIsShort) {
  CachingAllocator allocator(Memory(200 * kMiB), options("max_split_size_mb:40"));
  std::vector<Block*> blocks;
  for (const std::int64_t size : {60, 60, 20}) blocks.push_back(allocator.allocate(size * kMiB));
  for (Block* block : blocks) allocator.free(block);
  EXPECT_NE(allocator.allocate(110 * kMiB), nullptr);
  EXPECT_EQ(allocator.statistics().retries, 0);                  // the cache was not emptied:
  EXPECT_EQ(allocator.statistics().reserved_bytes, 130 * kMiB);  // 20 MiB are still in it
}

TEST(ExpandableSegments, GrowByPages) {
  CachingAllocator allocator(Memory(4 * kGiB), options("expandable_segments:True"));
  allocator.allocate(1);
  EXPECT_EQ(allocator.statistics().reserved_bytes, 2 * kMiB);
  Block* first = allocator.allocate(15 * kMiB);
  EXPECT_EQ(allocator.statistics().reserved_bytes, 22 * kMiB);
  allocator.allocate(15 * kMiB);
  EXPECT_EQ(allocator.statistics().reserved_bytes, 42 * kMiB);
  allocator.free(first);
  EXPECT_EQ(weight(allocator, 15 * kMiB), 15 * kMiB);
  EXPECT_EQ(allocator.statistics().reserved_bytes, 42 * kMiB);
  EXPECT_EQ(allocator.statistics().segments, 0);
}

// A request that no hole is large enough for takes the one at the end and grows it.
TEST(ExpandableSegments, TheTailIsUsedBeforeNewMemory) {
  CachingAllocator allocator(Memory(4 * kGiB), options("expandable_segments:True"));
  allocator.allocate(30 * kMiB);
  Block* tail = allocator.allocate(40 * kMiB);
  allocator.free(tail);
  allocator.allocate(100 * kMiB);
  EXPECT_EQ(allocator.statistics().reserved_bytes, 140 * kMiB);
}

TEST(ExpandableSegments, WholePagesGoBack) {
  CachingAllocator allocator(Memory(4 * kGiB), options("expandable_segments:True"));
  Block* front = allocator.allocate(5 * kMiB);
  Block* middle = allocator.allocate(50 * kMiB);
  allocator.allocate(kMiB + 1);
  allocator.free(middle);
  allocator.empty_cache();
  EXPECT_EQ(allocator.statistics().reserved_bytes, 40 * kMiB);  // the page from 20 to 40 MiB
  allocator.free(front);
  allocator.empty_cache();
  EXPECT_EQ(allocator.statistics().reserved_bytes, 20 * kMiB);
}

TEST(ExpandableSegments, WhatWasMappedBeforeMemoryRanOutStays) {
  CachingAllocator allocator(Memory(100 * kMiB), options("expandable_segments:True"));
  Block* held = allocator.allocate(30 * kMiB);
  EXPECT_EQ(allocator.allocate(200 * kMiB), nullptr);
  EXPECT_EQ(allocator.statistics().reserved_bytes, 40 * kMiB);
  allocator.free(held);
  EXPECT_NE(allocator.allocate(100 * kMiB), nullptr);
}

TEST(GarbageCollection, NeedsAMemoryFraction) {
  for (const auto& [words, reserved] :
       {std::pair{"garbage_collection_threshold:0.3", 90 * kMiB},
        std::pair{"garbage_collection_threshold:0.3,per_process_memory_fraction:1.0", 90 * kMiB},
        std::pair{"garbage_collection_threshold:0.3,per_process_memory_fraction:0.99",
                  50 * kMiB}}) {
    CachingAllocator allocator(Memory(100 * kMiB), options(words));
    allocator.free(allocator.allocate(40 * kMiB));
    allocator.allocate(50 * kMiB);
    EXPECT_EQ(allocator.statistics().reserved_bytes, reserved) << words;
  }
}

TEST(MemoryFraction, EndsBeforeTheCardDoes) {
  CachingAllocator allocator(Memory(90 * kMiB, 100 * kMiB),
                             options("per_process_memory_fraction:0.5"));
  EXPECT_NE(allocator.allocate(50 * kMiB), nullptr);
  EXPECT_EQ(allocator.allocate(20 * kMiB), nullptr);
  EXPECT_EQ(allocator.statistics().out_of_memory, 1);
}

TEST(Streams, KeepTheirOwnBlocks) {
  CachingAllocator allocator;
  allocator.free(allocator.allocate(30 * kMiB, 1));
  allocator.allocate(30 * kMiB, 2);
  EXPECT_EQ(allocator.statistics().reserved_bytes, 60 * kMiB);
  allocator.allocate(30 * kMiB, 1);
  EXPECT_EQ(allocator.statistics().reserved_bytes, 60 * kMiB);
}

TEST(Streams, ABlockWaitsForTheStreamThatReadsIt) {
  CachingAllocator allocator;
  Block* block = allocator.allocate(30 * kMiB, 1);
  allocator.record_stream(block, 2);
  allocator.free(block);
  EXPECT_EQ(allocator.statistics().allocated_bytes, 0);
  EXPECT_EQ(allocator.statistics().active_bytes, 30 * kMiB);
  allocator.allocate(1);
  EXPECT_EQ(allocator.statistics().active_bytes, 512);
}

TEST(OutOfMemory, SaysWhatPyTorchSays) {
  CachingAllocator allocator(Memory(24 * kGiB, 24 * kGiB + 512 * kMiB));
  for (int i = 0; i < 4; ++i) allocator.allocate(5 * kGiB);
  ASSERT_EQ(allocator.allocate(5 * kGiB), nullptr);
  EXPECT_EQ(message(out_of_memory(allocator, 5 * kGiB)),
            "CUDA out of memory. Tried to allocate 5.00 GiB. GPU 0 has a total capacity of 24.50 "
            "GiB of which 4.00 GiB is free. Including non-PyTorch memory, this process has 20.50 "
            "GiB memory in use. Of the allocated memory 20.00 GiB is allocated by PyTorch, and 0 "
            "bytes is reserved by PyTorch but unallocated. If reserved but unallocated memory is "
            "large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid "
            "fragmentation.  See documentation for Memory Management  "
            "(https://docs.pytorch.org/docs/stable/notes/"
            "cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)");
}

}  // namespace
}  // namespace forerun::allocator
