#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "estimator/allocator/caching_allocator.h"

namespace forerun::allocator {
namespace {

constexpr std::int64_t kMiB = 1ll << 20;
using Block = CachingAllocator::Block;

TEST(Rounding, BlocksAreMultiplesOf512) {
  EXPECT_EQ(round_size(1), 512);
  EXPECT_EQ(round_size(512), 512);
  EXPECT_EQ(round_size(513), 1024);
  EXPECT_EQ(round_size(10 * kMiB - 511), 10 * kMiB);
}

TEST(Segments, SizesFollowTheRequest) {
  EXPECT_EQ(segment_size(kMiB), 2 * kMiB);
  EXPECT_EQ(segment_size(kMiB + 512), 20 * kMiB);
  EXPECT_EQ(segment_size(10 * kMiB - 512), 20 * kMiB);
  EXPECT_EQ(segment_size(10 * kMiB), 10 * kMiB);
  EXPECT_EQ(segment_size(33 * kMiB), 34 * kMiB);
}

// A free block that would leave exactly 1 MiB is handed out whole: the request weighs all of it.
TEST(Splitting, ARemainderOfOneMebibyteIsNotWorthIt) {
  for (const auto& [request, weighs] :
       {std::pair{19 * kMiB, 20 * kMiB}, std::pair{19 * kMiB - 512, 19 * kMiB - 512}}) {
    CachingAllocator allocator;
    allocator.free(allocator.allocate(20 * kMiB));
    allocator.allocate(request);
    EXPECT_EQ(allocator.statistics().allocated_bytes, weighs) << request;
    EXPECT_EQ(allocator.statistics().reserved_bytes, 20 * kMiB);
  }
}

TEST(Splitting, SmallBlocksSplitDownTo512) {
  CachingAllocator allocator;
  allocator.allocate(kMiB);
  allocator.allocate(kMiB - 512);
  allocator.allocate(1);
  EXPECT_EQ(allocator.statistics().reserved_bytes, 2 * kMiB);
  allocator.allocate(1);
  EXPECT_EQ(allocator.statistics().reserved_bytes, 4 * kMiB);
}

TEST(BestFit, TheSmallestBlockThatIsLargeEnough) {
  CachingAllocator allocator;
  Block* large = allocator.allocate(64 * kMiB);
  Block* right = allocator.allocate(34 * kMiB);
  allocator.free(large);
  allocator.free(right);
  EXPECT_EQ(CachingAllocator::size_bytes(allocator.allocate(33 * kMiB)), 34 * kMiB);
}

TEST(Merging, NeighboursBecomeOneAgain) {
  CachingAllocator allocator;
  std::vector<Block*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(allocator.allocate(5 * kMiB));
  EXPECT_EQ(allocator.statistics().reserved_bytes, 20 * kMiB);
  for (const int i : {0, 2, 3, 1}) allocator.free(blocks[static_cast<std::size_t>(i)]);
  EXPECT_EQ(CachingAllocator::size_bytes(allocator.allocate(20 * kMiB)), 20 * kMiB);
  EXPECT_EQ(allocator.statistics().reserved_bytes, 20 * kMiB);
}

TEST(EmptyCache, SegmentsWithALiveBlockStay) {
  CachingAllocator allocator;
  Block* kept = allocator.allocate(5 * kMiB);
  allocator.free(allocator.allocate(5 * kMiB));
  allocator.free(allocator.allocate(100 * kMiB));
  allocator.empty_cache();
  EXPECT_EQ(allocator.statistics().reserved_bytes, 20 * kMiB);
  allocator.free(kept);
  allocator.empty_cache();
  EXPECT_EQ(allocator.statistics().reserved_bytes, 0);
}

TEST(AFullDevice, EmptiesTheCacheAndTriesAgain) {
  CachingAllocator allocator(100 * kMiB);
  allocator.free(allocator.allocate(60 * kMiB));
  EXPECT_NE(allocator.allocate(80 * kMiB), nullptr);
  EXPECT_EQ(allocator.statistics().retries, 1);
  EXPECT_EQ(allocator.allocate(40 * kMiB), nullptr);
}

TEST(Peaks, AreResetToTheCurrentState) {
  CachingAllocator allocator;
  allocator.free(allocator.allocate(40 * kMiB));
  allocator.reset_peaks();
  EXPECT_EQ(allocator.statistics().peak_allocated_bytes, 0);
  EXPECT_EQ(allocator.statistics().peak_reserved_bytes, 40 * kMiB);
}

// Random traces: what must hold whatever is asked.
TEST(Properties, HoldOnRandomTraces) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    CachingAllocator allocator;
    std::vector<std::pair<Block*, std::int64_t>> live;
    std::int64_t weight = 0;
    for (int i = 0; i < 500; ++i) {
      if (live.empty() || random() % 100 < 55) {
        const auto bytes = static_cast<std::int64_t>(std::exp2(random() % 2800 / 100.0));
        Block* block = allocator.allocate(bytes);
        const std::int64_t size = CachingAllocator::size_bytes(block);
        ASSERT_GE(size, round_size(bytes));
        ASSERT_LE(size - round_size(bytes), bytes <= kMiB ? 0 : kMiB);
        live.emplace_back(block, size);
        weight += size;
      } else {
        const std::size_t which = random() % live.size();
        weight -= live[which].second;
        allocator.free(live[which].first);
        live[which] = live.back();
        live.pop_back();
      }
      const Statistics& now = allocator.statistics();
      ASSERT_EQ(now.allocated_bytes, weight);
      ASSERT_LE(now.allocated_bytes, now.reserved_bytes);
      ASSERT_EQ(now.reserved_bytes % (2 * kMiB), 0);
      ASSERT_GE(now.peak_reserved_bytes, now.reserved_bytes);
    }
    for (const auto& [block, size] : live) allocator.free(block);
    allocator.empty_cache();
    EXPECT_EQ(allocator.statistics().allocated_bytes, 0);
    EXPECT_EQ(allocator.statistics().reserved_bytes, 0);
  }
}

// Four recorded traces with edge sizes, cache flushes and full devices; see the head of the file.
TEST(RecordedTraces, EveryStateIsTheSame) {
  std::ifstream file(FORERUN_SOURCE_DIR "/tests/estimator/allocator_trace.txt");
  ASSERT_TRUE(file);
  std::unique_ptr<CachingAllocator> allocator;
  std::map<int, Block*> live;
  int states = 0;
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    std::istringstream words(line);
    std::string op;
    words >> op;
    if (op == "capacity") {
      std::string bytes;
      words >> bytes;
      allocator = bytes == "none" ? std::make_unique<CachingAllocator>()
                                  : std::make_unique<CachingAllocator>(std::stoll(bytes));
      live.clear();
      continue;
    }
    if (op == "e") allocator->empty_cache();
    int id = 0;
    if (op != "e") words >> id;
    if (op == "f") allocator->free(live.at(id));
    if (op == "a") {
      std::int64_t bytes = 0;
      words >> bytes;
      live[id] = allocator->allocate(bytes);
      const bool full = line.ends_with("full");
      ASSERT_EQ(live[id] == nullptr, full) << line;
      if (full) continue;
    }
    Statistics want;
    words >> want.allocated_bytes >> want.reserved_bytes >> want.peak_allocated_bytes >>
        want.peak_reserved_bytes;
    const Statistics& have = allocator->statistics();
    ASSERT_EQ(have.allocated_bytes, want.allocated_bytes) << line;
    ASSERT_EQ(have.reserved_bytes, want.reserved_bytes) << line;
    ASSERT_EQ(have.peak_allocated_bytes, want.peak_allocated_bytes) << line;
    ASSERT_EQ(have.peak_reserved_bytes, want.peak_reserved_bytes) << line;
    ++states;
  }
  EXPECT_GT(states, 1500);
}

}  // namespace
}  // namespace forerun::allocator
