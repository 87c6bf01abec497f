// The emulated device's memory: addresses, accounting, contents, and many threads at once.
#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/copy.h"
#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/ranges.h"
#include "verifier/emulator/device/report.h"
#include "verifier/emulator/device/stream.h"
}

namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kUsable = 1000 * kMiB;

class Environment : public ::testing::Environment {
 public:
  void SetUp() override {
    setenv("FORERUN_EMULATOR_PROFILE",
           "name=test\nvendor_name=Test "
           "GPU\ndevices=2\ncompute_major=9\ncompute_minor=0\nmultiprocessors=4\n"
           "max_threads_per_multiprocessor=2048\nmax_blocks_per_multiprocessor=32\n"
           "shared_memory_per_multiprocessor_bytes=233472\nshared_memory_per_block_optin_bytes="
           "232448\n"
           "l2_cache_bytes=1048576\nmemory_bandwidth_bytes_per_s=1000000000\n"
           "total_memory_bytes=1073741824\ncontext_bytes=25165824\n",
           1);
  }
};
const auto* const kEnvironment = ::testing::AddGlobalTestEnvironment(new Environment);

std::uint64_t allocate(std::uint64_t bytes, int device = 0) {
  std::uint64_t address = 0;
  EXPECT_EQ(emu_device_allocate(device, bytes, EMU_ALLOCATION, &address), EMU_OK);
  return address;
}
void release(std::uint64_t address) { EXPECT_EQ(emu_device_free(address, EMU_ALLOCATION), EMU_OK); }
std::uint64_t free_bytes(int device = 0) {
  std::uint64_t left = 0, total = 0;
  emu_device_info(device, &left, &total);
  EXPECT_EQ(total, 1024 * kMiB);
  return left;
}
void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

TEST(Memory, ContextIsTakenOffAndRequestsRoundUpToPages) {
  EXPECT_EQ(free_bytes(), kUsable);
  const std::uint64_t a = allocate(1);
  EXPECT_EQ(free_bytes(), kUsable - 2 * kMiB);
  EXPECT_EQ(free_bytes(1), kUsable);  // another device's is untouched
  const std::uint64_t b = allocate(2 * kMiB + 1);
  EXPECT_EQ(free_bytes(), kUsable - 6 * kMiB);
  EXPECT_EQ(a % (2 * kMiB), 0u);
  EXPECT_EQ(b, a + 2 * kMiB);
  release(a);
  release(b);
  EXPECT_EQ(free_bytes(), kUsable);
}

TEST(Memory, FitsToTheByteAndNotBeyond) {
  const std::uint64_t all = allocate(kUsable);
  std::uint64_t address = 1;
  EXPECT_EQ(emu_device_allocate(0, 1, EMU_ALLOCATION, &address), EMU_OUT_OF_MEMORY);
  release(all);
  EXPECT_EQ(emu_device_allocate(0, kUsable + 1, EMU_ALLOCATION, &address), EMU_OUT_OF_MEMORY);
  EXPECT_EQ(emu_device_allocate(0, UINT64_MAX, EMU_ALLOCATION, &address), EMU_OUT_OF_MEMORY);
  EXPECT_EQ(free_bytes(), kUsable);
  EXPECT_GE(emu_report()->devices[0].failed_requests, 3u);
}

TEST(Memory, FreedAddressesAreReusedLowestFirst) {
  const std::uint64_t a = allocate(4 * kMiB), b = allocate(2 * kMiB), c = allocate(2 * kMiB);
  release(a);
  EXPECT_EQ(allocate(2 * kMiB), a);
  EXPECT_EQ(allocate(2 * kMiB), a + 2 * kMiB);
  release(a);
  release(a + 2 * kMiB);
  release(b);
  EXPECT_EQ(allocate(6 * kMiB), a);  // the three holes are one again
  release(a);
  release(c);
}

TEST(Memory, WrongFreesAreRefused) {
  const std::uint64_t a = allocate(4 * kMiB);
  EXPECT_EQ(emu_device_free(a + 512, EMU_ALLOCATION), EMU_INVALID);
  EXPECT_EQ(emu_device_free(a, EMU_ASYNC), EMU_INVALID);
  release(a);
  EXPECT_EQ(emu_device_free(a, EMU_ALLOCATION), EMU_INVALID);
  EXPECT_EQ(emu_device_free(12345, EMU_ALLOCATION), EMU_INVALID);
}

TEST(Memory, PlacesAreKnownInside) {
  const std::uint64_t a = allocate(4 * kMiB, 1);
  EXPECT_EQ(emu_place(pointer(a + 3 * kMiB)).kind, EMU_ALLOCATION);
  EXPECT_EQ(emu_place(pointer(a + 3 * kMiB)).device, 1);
  release(a);
  EXPECT_EQ(emu_place(pointer(a)).kind, EMU_NOWHERE);
  int local = 0;
  EXPECT_EQ(emu_place(&local).kind, EMU_NOWHERE);
  EXPECT_EQ(emu_place(nullptr).kind, EMU_NOWHERE);
}

TEST(Memory, HostMemoryIsPinnedWhileRegistered) {
  void* pinned = nullptr;
  ASSERT_EQ(emu_host_allocate(100, EMU_PINNED, 0, &pinned), EMU_OK);
  EXPECT_EQ(emu_place(static_cast<char*>(pinned) + 99).kind, EMU_PINNED);
  EXPECT_EQ(emu_host_free(pinned, EMU_MANAGED), EMU_INVALID);
  EXPECT_EQ(emu_host_free(pinned, EMU_PINNED), EMU_OK);
  EXPECT_EQ(emu_place(pinned).kind, EMU_NOWHERE);
  std::vector<char> own(100);
  EXPECT_EQ(emu_host_register(own.data(), own.size(), 0), EMU_OK);
  EXPECT_EQ(emu_host_register(own.data() + 50, 10, 0), EMU_INVALID);  // overlaps
  EXPECT_EQ(emu_place(own.data() + 50).kind, EMU_REGISTERED);
  EXPECT_EQ(emu_host_unregister(own.data()), EMU_OK);
  EXPECT_EQ(emu_host_unregister(own.data()), EMU_INVALID);
}

TEST(Contents, WhatIsCopiedInComesBack) {
  const std::uint64_t a = allocate(8 * kMiB);
  std::vector<char> in(3 * kMiB), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<char>(i * 31 + 7);
  emu_copy(pointer(a + 12345), in.data(), in.size());
  emu_copy(out.data(), pointer(a + 12345), out.size());
  EXPECT_EQ(in, out);
  // Between two device addresses, and with what lies around it still zero.
  emu_copy(pointer(a + 5 * kMiB), pointer(a + 12345), 1000);
  std::vector<char> around(3000);
  emu_copy(around.data(), pointer(a + 5 * kMiB - 1000), around.size());
  EXPECT_EQ(std::vector<char>(around.begin() + 1000, around.begin() + 2000),
            std::vector<char>(in.begin(), in.begin() + 1000));
  EXPECT_EQ(std::vector<char>(around.begin(), around.begin() + 1000), std::vector<char>(1000));
  EXPECT_EQ(std::vector<char>(around.begin() + 2000, around.end()), std::vector<char>(1000));
  release(a);
}

TEST(Contents, FillsAndLargeCopies) {
  const std::uint64_t a = allocate(16 * kMiB);
  const std::uint32_t pattern = 0xdeadbeef;
  emu_fill(pointer(a + 4), &pattern, sizeof pattern, 40);
  std::uint32_t read[12] = {};
  emu_copy(read, pointer(a), sizeof read);
  EXPECT_EQ(read[0], 0u);
  EXPECT_EQ(read[1], pattern);
  EXPECT_EQ(read[10], pattern);
  EXPECT_EQ(read[11], 0u);
  // More than is kept: everything it covers reads as zero, also what was there before.
  const std::vector<char> large(EMU_KEPT_BYTES + 1, 'x');
  emu_copy(pointer(a), large.data(), large.size());
  emu_copy(read, pointer(a), sizeof read);
  EXPECT_EQ(read[1], 0u);
  release(a);
}

TEST(Contents, EndWithTheAllocation) {
  const std::uint64_t a = allocate(2 * kMiB);
  emu_copy(pointer(a), "abc", 3);
  release(a);
  ASSERT_EQ(allocate(2 * kMiB), a);
  char read[3] = {1, 1, 1};
  emu_copy(read, pointer(a), 3);
  EXPECT_EQ(std::string(read, 3), std::string(3, '\0'));
  release(a);
}

TEST(Ranges, AgreeWithAnOrderedMap) {
  EmuRanges ranges = {nullptr, 1};
  std::map<std::uint64_t, std::uint64_t> expected;
  std::mt19937 random(1);
  for (int step = 0; step < 20000; ++step) {
    const std::uint64_t start = random() % 2000 * 100, size = 1 + random() % 100;
    if (random() % 2 == 0 && !expected.contains(start)) {
      ASSERT_NE(emu_ranges_insert(&ranges, start, size), nullptr);
      expected[start] = size;
    } else {
      ASSERT_EQ(emu_ranges_erase(&ranges, start) != 0, expected.erase(start) == 1);
    }
    const std::uint64_t probe = random() % 200100, wanted = 1 + random() % 100;
    const auto above = expected.upper_bound(probe);
    const bool inside =
        above != expected.begin() && probe - std::prev(above)->first < std::prev(above)->second;
    const EmuRange* found = emu_ranges_find(&ranges, probe);
    ASSERT_EQ(found != nullptr, inside);
    if (inside) {
      ASSERT_EQ(found->start, std::prev(above)->first);
    }
    const EmuRange* fit = emu_ranges_first_fit(&ranges, wanted);
    auto first = expected.begin();
    while (first != expected.end() && first->second < wanted) ++first;
    ASSERT_EQ(fit != nullptr, first != expected.end());
    if (fit != nullptr) {
      ASSERT_EQ(fit->start, first->first);
    }
  }
  for (const auto& [start, size] : expected) emu_ranges_erase(&ranges, start);
}

// What each thread allocates is its own: marks it and finds its mark again.
void churn(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint64_t> held;
  EmuStream* stream = emu_stream_create(0, 0);
  EmuEvent* event = emu_event_create();
  for (int step = 0; step < 60; ++step) {
    emu_event_record(event, stream);
    emu_stream_wait(stream, event);
    if (held.size() < 3) {
      std::uint64_t address = 0;
      if (emu_device_allocate(static_cast<int>(seed % 2), 1 + random() % (4 * kMiB), EMU_ALLOCATION,
                              &address) != EMU_OK)
        continue;
      emu_copy(pointer(address), &address, sizeof address);
      held.push_back(address);
      continue;
    }
    const std::size_t which = random() % held.size();
    std::uint64_t mark = 0;
    emu_copy(&mark, pointer(held[which]), sizeof mark);
    EXPECT_EQ(mark, held[which]);
    EXPECT_EQ(emu_place(pointer(held[which])).start, held[which]);
    release(held[which]);
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
  }
  for (const std::uint64_t address : held) release(address);
  emu_event_destroy(event);
  emu_stream_destroy(stream);
}

TEST(Stress, AThousandThreads) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 50; ++i)
      threads.emplace_back(churn, static_cast<unsigned>(round) * 50 + i);
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(free_bytes(0), kUsable);
  EXPECT_EQ(free_bytes(1), kUsable);
}

TEST(Stress, ForkWhileOthersAllocate) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back(churn, 1000 + i);
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      std::uint64_t address = 0;
      const bool ok = emu_device_allocate(0, 1, EMU_ALLOCATION, &address) == EMU_OK &&
                      emu_device_free(address, EMU_ALLOCATION) == EMU_OK;
      _exit(ok ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Captures, JoinThroughEvents) {
  EmuStream *origin = emu_stream_create(0, 0), *side = emu_stream_create(0, 0);
  EmuEvent* event = emu_event_create();
  EmuGraph* graph = emu_graph_create();
  EXPECT_FALSE(emu_capture_begin(nullptr, graph));  // a default stream cannot be captured
  ASSERT_TRUE(emu_capture_begin(origin, graph));
  EXPECT_FALSE(emu_capture_begin(origin, graph));
  emu_work(origin);
  emu_work(side);  // not part of it yet
  emu_event_record(event, origin);
  emu_stream_wait(side, event);
  emu_work(side);
  EXPECT_EQ(emu_capture_of(side, nullptr), graph);
  EXPECT_EQ(emu_capture_end(origin), graph);
  EXPECT_EQ(emu_capture_of(side, nullptr), nullptr);
  EXPECT_EQ(emu_capture_end(origin), nullptr);
  EXPECT_EQ(graph->nodes, 2u);
  emu_graph_destroy(graph);
  emu_event_destroy(event);
  emu_stream_destroy(origin);
  emu_stream_destroy(side);
}

TEST(Report, NamesAreCountedOnceEach) {
  static EmuEntry first = {"someCall", nullptr}, again = {"someCall", nullptr};
  ::testing::internal::CaptureStderr();
  emu_unmodelled(&first);
  emu_unmodelled(&first);
  emu_unmodelled(&again);
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("forerun emulator: unmodelled: someCall"), std::string::npos);
  std::uint64_t count = 0;
  for (const EmuNamedCount& slot : emu_report()->names) {
    if (std::strcmp(slot.name, "someCall") == 0) count += slot.count;
  }
  EXPECT_EQ(count, 3u);
}

}  // namespace
