// The log of what a program does to the device: events, counts, steps and blocks, in one process
// and in several.
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern "C" {
#include "verifier/emulator/device/blocks.h"
#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/copy.h"
#include "verifier/emulator/device/events.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/site.h"
#include "verifier/emulator/device/totals.h"
}

namespace {

EmuLog* whole;

// A log in an anonymous file, as forerun-dry-run makes it, before anything here uses the device.
class LogEnvironment : public ::testing::Environment {
 public:
  void SetUp() override {
    const int fd = memfd_create("log", 0);
    ASSERT_GE(fd, 0);
    ASSERT_EQ(ftruncate(fd, sizeof(EmuLog)), 0);
    void* mapped = mmap(nullptr, sizeof(EmuLog), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    whole = static_cast<EmuLog*>(mapped);
    whole->magic = EMU_LOG_MAGIC;
    const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd);
    setenv("FORERUN_EMULATOR_EVENTS", path.c_str(), 1);
  }
};
const auto* const kEnvironment = ::testing::AddGlobalTestEnvironment(new LogEnvironment);

const EmuProcessLog& own() { return *emu_log_area(); }

const EmuEvent& event(std::uint64_t number) {
  return number < EMU_LOG_FIRST_EVENTS
             ? own().first[number]
             : own().newest[(number - EMU_LOG_FIRST_EVENTS) % EMU_LOG_NEWEST_EVENTS];
}

std::string name(std::uint64_t number) { return own().text + own().name_at[number]; }

std::vector<EmuEvent> events_since(std::uint64_t first, int kind) {
  std::vector<EmuEvent> found;
  for (std::uint64_t i = first; i < own().events; ++i) {
    if (event(i).kind == kind) found.push_back(event(i));
  }
  return found;
}

// Device memory for the length of a test.
class Allocation {
 public:
  explicit Allocation(std::uint64_t bytes) {
    EXPECT_EQ(emu_device_allocate(0, bytes, EMU_ALLOCATION, &address_), EMU_OK);
  }
  ~Allocation() { emu_device_free(address_, EMU_ALLOCATION); }
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;
  std::uint64_t address() const { return address_; }
  char* at(std::uint64_t offset = 0) const { return reinterpret_cast<char*>(address_ + offset); }

 private:
  std::uint64_t address_ = 0;
};

TEST(Log, ALaunchIsAnEventAndACount) {
  const std::uint64_t before = own().events, launches = own().now.launches;
  emu_log_launch("_Z6kernelv", 12, 256, nullptr);
  const std::vector<EmuEvent> found = events_since(before, EMU_EVENT_LAUNCH);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(name(found[0].a), "_Z6kernelv");
  EXPECT_EQ(found[0].b, 12u);
  EXPECT_EQ(found[0].c, 256u);
  EXPECT_EQ(found[0].thread, EMU_THREAD_MAIN);
  EXPECT_EQ(own().now.launches, launches + 1);
}

TEST(Log, IsBoundedAndKeepsTheFirstAndTheNewestEvents) {
  const std::uint64_t before = own().events;
  const std::uint64_t many = 3'000'000;
  for (std::uint64_t i = 0; i < many; ++i) emu_log_launch("_Z6kernelv", i, 1, nullptr);
  EXPECT_EQ(own().events, before + many);
  for (std::uint64_t i = 0; i < 1000; ++i) EXPECT_EQ(event(before + i).b, i);
  for (std::uint64_t i = many - EMU_LOG_NEWEST_EVENTS; i < many; ++i)
    ASSERT_EQ(event(before + i).b, i);
}

TEST(Log, ThreadsLoseNothing) {
  const std::uint64_t before = own().now.launches;
  const auto work = [](const char* kernel) {
    for (int i = 0; i < 200'000; ++i) emu_log_launch(kernel, 1, 1, nullptr);
  };
  std::thread a(work, "_Z1av"), b(work, "_Z1bv");
  a.join();
  b.join();
  EXPECT_EQ(own().now.launches, before + 400'000);
  std::uint64_t of_a = 0, of_b = 0;
  for (std::uint64_t i = own().events - EMU_LOG_NEWEST_EVENTS / 2; i < own().events; ++i) {
    if (event(i).kind != EMU_EVENT_LAUNCH) continue;
    of_a += name(event(i).a) == "_Z1av" ? 1 : 0;
    of_b += name(event(i).a) == "_Z1bv" ? 1 : 0;
    EXPECT_EQ(event(i).thread, EMU_THREAD_OTHER);
  }
  EXPECT_EQ(of_a + of_b, std::uint64_t{EMU_LOG_NEWEST_EVENTS / 2});
}

TEST(Log, AChildHasAnAreaOfItsOwnAndTakesNoneUnlessItUsesTheDevice) {
  emu_log_launch("_Z6parentv", 1, 1, nullptr);
  const auto areas = [] {
    int count = 0;
    for (const EmuProcessLog& process : whole->process) count += process.pid != 0 ? 1 : 0;
    return count;
  };
  const int before = areas();
  const std::uint64_t events = own().events;
  const pid_t idle = fork();
  if (idle == 0) _exit(0);
  int status = 0;
  waitpid(idle, &status, 0);
  EXPECT_EQ(areas(), before);
  const pid_t child = fork();
  if (child == 0) {
    emu_log_launch("_Z5childv", 1, 1, nullptr);
    const bool fine = own().pid == static_cast<std::uint64_t>(getpid()) && own().events == 1 &&
                      name(own().first[0].a) == "_Z5childv" &&
                      own().first[0].thread == EMU_THREAD_MAIN;
    _exit(fine ? 0 : 1);
  }
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(areas(), before + 1);
  EXPECT_EQ(own().events, events);
}

// --- Copies and waits

TEST(Waits, ACopyToPageableMemoryAndTheSynchronisationAfterItAreOne) {
  char host[16];
  const Allocation memory(512);
  void* device = memory.at();
  void* const stream = reinterpret_cast<void*>(2);  // the thread's default stream
  std::uint64_t before = own().now.blocking_calls;
  emu_log_copy("cudaMemcpyAsync", host, device, 16, stream, 0);
  emu_log_wait("cudaStreamSynchronize", stream);
  EXPECT_EQ(own().now.blocking_calls, before + 1);
  emu_log_wait("cudaStreamSynchronize", stream);  // nothing excuses this one
  EXPECT_EQ(own().now.blocking_calls, before + 2);
  before = own().now.blocking_calls;
  emu_log_copy("cudaMemcpyAsync", device, host, 16, stream, 0);
  EXPECT_EQ(own().now.blocking_calls, before);  // it is staged, the call goes on
  emu_log_copy("cudaMemcpy", device, host, 16, nullptr, 1);
  EXPECT_EQ(own().now.blocking_calls, before + 1);
}

TEST(Waits, PinnedMemoryIsCopiedToWithoutWaiting) {
  void* host = nullptr;
  ASSERT_EQ(emu_host_allocate(512, EMU_PINNED, 0, &host), EMU_OK);
  const Allocation memory(512);
  void* device = memory.at();
  const std::uint64_t before = own().now.blocking_calls, events = own().events;
  emu_log_copy("cudaMemcpyAsync", host, device, 16, nullptr, 0);
  EXPECT_EQ(own().now.blocking_calls, before);
  const std::vector<EmuEvent> copies = events_since(events, EMU_EVENT_COPY);
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies[0].b, std::uint64_t{EMU_COPY_TO_HOST | EMU_COPY_PINNED});
  EXPECT_EQ(copies[0].c, reinterpret_cast<std::uint64_t>(device));
  emu_host_free(host, EMU_PINNED);
}

TEST(Waits, ReadsOfWhatTheHostDidNotWriteAreComputed) {
  char host[64] = {1};
  const Allocation memory(4096), more(4096);
  char *device = memory.at(), *other = more.at();
  const auto computed_reads_of = [&](void* from, std::uint64_t bytes) {
    const std::uint64_t before = own().now.computed_reads;
    emu_log_copy("cudaMemcpy", host, from, bytes, nullptr, 1);
    return own().now.computed_reads - before;
  };
  EXPECT_EQ(computed_reads_of(device, 8), 1u);
  emu_copy(device, host, 16);
  EXPECT_EQ(computed_reads_of(device, 16), 0u);
  EXPECT_EQ(computed_reads_of(device + 3, 5), 0u);
  EXPECT_EQ(computed_reads_of(device, 17), 1u);
  // What is copied on the device is as known as where it came from.
  emu_copy(other, device, 32);
  EXPECT_EQ(computed_reads_of(other, 16), 0u);
  EXPECT_EQ(computed_reads_of(other + 16, 16), 1u);
  const int zero = 0;
  emu_fill(device + 100, &zero, 1, 10);
  EXPECT_EQ(computed_reads_of(device + 100, 10), 0u);
  emu_contents_clear(reinterpret_cast<std::uint64_t>(device), 4096);
  EXPECT_EQ(computed_reads_of(device, 8), 1u);
}

// --- Blocks

TEST(Blocks, AreCountedWhereTheyWereAllocated) {
  const Allocation memory(2 << 20);
  const std::uint64_t address = memory.address();
  const std::uint64_t before = own().events;
  emu_log_block(0, address, 1024, 1024, 2 << 20);
  emu_log_block(0, address + 1024, 512, 1536, 2 << 20);
  const std::vector<EmuEvent> allocations = events_since(before, EMU_EVENT_ALLOC);
  ASSERT_EQ(allocations.size(), 2u);
  ASSERT_NE(allocations[0].site, 0u);
  EXPECT_EQ(own().site[allocations[0].site].live_bytes, 1024);
  emu_log_block(0, address, -1024, 512, 2 << 20);
  EXPECT_EQ(own().site[allocations[0].site].live_bytes, 0);
  EXPECT_EQ(own().site[allocations[0].site].live_blocks, 0);
  EXPECT_EQ(own().site[allocations[1].site].live_bytes, 512);
  const std::vector<EmuEvent> frees = events_since(before, EMU_EVENT_FREE);
  ASSERT_EQ(frees.size(), 1u);
  EXPECT_EQ(frees[0].site, allocations[0].site);
  EXPECT_EQ(frees[0].b, 1024u);
  EXPECT_EQ(frees[0].c, 512u);
  emu_log_block(0, address + 1024, -512, 0, 2 << 20);
}

TEST(Blocks, AreCategorisedOnceAndReplacedWhenTheyGo) {
  const Allocation memory(2 << 20);
  const std::uint64_t address = memory.address();
  emu_log_block(0, address, 512, 512, 2 << 20);
  const std::uint64_t before = own().events, replaced = emu_blocks_replaced();
  emu_block_categorise(address, EMU_CATEGORY_PARAMETER);
  emu_block_categorise(address, EMU_CATEGORY_PARAMETER);
  emu_block_categorise(address + 512, EMU_CATEGORY_PARAMETER);  // nobody's
  EXPECT_EQ(events_since(before, EMU_EVENT_CATEGORY).size(), 1u);
  emu_log_block(0, address, -512, 0, 2 << 20);
  EXPECT_EQ(emu_blocks_replaced(), replaced + 1);
}

TEST(Blocks, ManyComeAndGoInAnyOrder) {
  const Allocation memory(64 << 20);
  const std::uint64_t start = memory.address();
  std::vector<std::uint64_t> live;
  unsigned random = 1;
  std::uint64_t next = 0, total = 0;
  const std::uint64_t before = own().events;
  for (int i = 0; i < 60'000; ++i) {
    random = random * 1664525 + 1013904223;
    if (live.size() < 100 || random >> 31 == 0) {
      live.push_back(start + 512 * next++);
      emu_log_block(0, live.back(), 512, total += 512, 64 << 20);
      continue;
    }
    const std::size_t which = random % live.size();
    emu_log_block(0, live[which], -512, total -= 512, 64 << 20);
    live[which] = live.back();
    live.pop_back();
  }
  for (const std::uint64_t address : live) emu_log_block(0, address, -512, total -= 512, 64 << 20);
  EXPECT_EQ(total, 0u);
  std::int64_t left = 0;
  for (std::uint32_t i = 1; i < own().sites; ++i) left += own().site[i].live_bytes;
  EXPECT_EQ(left, 0);
  EXPECT_EQ(events_since(before, EMU_EVENT_ALLOC).size(), next);
}

// --- Steps

// Each test starts without optimizers.
class Steps : public ::testing::Test {
 protected:
  void SetUp() override { emu_steps_forget(); }
  // The n-th step of this test.
  const EmuStep& step(std::uint64_t n) const {
    const std::uint64_t half = EMU_LOG_STEPS / 2, index = before_ + n - 1;
    return own().step[index < half ? index : half + (index - half) % half];
  }
  std::uint64_t steps() const { return own().steps - before_; }
  std::uint64_t before_ = own().steps;
};

TEST_F(Steps, OneOptimizerEndsAStepEachTime) {
  for (std::uint64_t i = 1; i <= 3; ++i) {
    emu_log_launch("_Z6kernelv", 1, 1, nullptr);
    EXPECT_EQ(emu_step_optimizer(1), 0);
    EXPECT_EQ(steps(), i);
  }
  EXPECT_EQ(step(3).number, before_ + 3);
  EXPECT_EQ(step(3).launches, 1u);
}

TEST_F(Steps, TwoThatTakeTurnsMakeOneStep) {
  emu_step_await(11);
  emu_step_await(12);
  for (std::uint64_t i = 1; i <= 4; ++i) {
    emu_log_launch("_Z6kernelv", 1, 1, nullptr);
    emu_step_optimizer(11);
    EXPECT_EQ(steps(), i - 1);
    emu_log_launch("_Z6kernelv", 1, 1, nullptr);
    emu_step_optimizer(12);
    EXPECT_EQ(steps(), i);
    EXPECT_EQ(step(i).launches, i == 1 ? step(1).launches : 2u);
  }
}

TEST_F(Steps, OneThatNeverStepsIsNotWaitedForTwice) {
  emu_step_await(21);
  emu_step_await(22);
  const std::uint64_t events = own().events;
  emu_log_launch("_Z6kernelv", 1, 1, nullptr);
  emu_step_optimizer(21);
  EXPECT_EQ(steps(), 0u);
  emu_log_launch("_Z6kernelv", 2, 1, nullptr);
  emu_log_launch("_Z6kernelv", 2, 1, nullptr);
  emu_step_optimizer(21);
  // The first step ended where 21 had stepped: the launches behind it are the second one's.
  EXPECT_EQ(steps(), 2u);
  EXPECT_EQ(step(2).launches, 2u);
  std::string order;
  for (std::uint64_t i = events; i < own().events; ++i) {
    if (event(i).kind == EMU_EVENT_LAUNCH) order += 'l';
    if (event(i).kind == EMU_EVENT_STEP) order += static_cast<char>('0' + event(i).a - before_);
  }
  EXPECT_EQ(order, "l1ll2");
  emu_step_optimizer(21);
  EXPECT_EQ(steps(), 3u);
}

TEST_F(Steps, PeaksAreOfTheStep) {
  const Allocation memory(2 << 20);
  const std::uint64_t address = memory.address();
  emu_step_optimizer(1);
  emu_log_block(0, address, 1024, 1024, 2 << 20);
  emu_log_block(0, address, -1024, 0, 2 << 20);
  emu_step_optimizer(1);
  emu_log_block(0, address, 512, 512, 2 << 20);
  emu_step_optimizer(1);
  EXPECT_EQ(step(2).allocated_peak_bytes, 1024u);
  EXPECT_EQ(step(2).allocated_end_bytes, 0u);
  EXPECT_EQ(step(3).allocated_peak_bytes, 512u);
  EXPECT_EQ(step(3).allocated_end_bytes, 512u);
  EXPECT_EQ(step(3).reserved_end_bytes, 2u << 20);
  emu_log_block(0, address, -512, 0, 2 << 20);
}

TEST_F(Steps, ManyKeepTheFirstAndTheNewestRecords) {
  while (own().steps < 10'000) emu_step_optimizer(1);
  const std::uint64_t half = EMU_LOG_STEPS / 2;
  for (std::uint64_t n = 1; n <= half; ++n) ASSERT_EQ(own().step[n - 1].number, n);
  for (std::uint64_t n = 10'000 - half + 1; n <= 10'000; ++n)
    ASSERT_EQ(own().step[half + (n - 1 - half) % half].number, n);
}

TEST_F(Steps, TheUsersMarksTakeTheirPlace) {
  whole->stop_after_steps = before_ + 2;
  EXPECT_EQ(emu_step_marked(), 0);
  EXPECT_EQ(emu_step_optimizer(1), 0);
  EXPECT_EQ(steps(), 1u);
  EXPECT_EQ(emu_step_marked(), 1);
  EXPECT_EQ(steps(), 2u);
  whole->stop_after_steps = 0;
}

// --- Tables that are full

TEST(FullLog, CountsTheNamesThatDoNotFit) {
  for (int i = 0; i < EMU_LOG_NAMES + 100; ++i) emu_log_name(("name " + std::to_string(i)).c_str());
  EXPECT_EQ(own().names, std::uint32_t{EMU_LOG_NAMES});
  EXPECT_GE(own().lost_names, 100u);
  EXPECT_EQ(name(emu_log_name("name 1000")), "name 1000");
  EXPECT_EQ(emu_log_name("one more"), 0u);
}

TEST(FullLog, CountsTheSitesThatDoNotFit) {
  const std::uint32_t file = emu_log_name("file.py");
  const std::uint32_t first = emu_log_site(0, file, 0, 1, 0);
  for (std::uint32_t line = 1; line < EMU_LOG_SITES + 100; ++line)
    emu_log_site(0, file, 0, line, 0);
  EXPECT_EQ(own().sites, std::uint32_t{EMU_LOG_SITES});
  EXPECT_GE(own().lost_sites, 99u);
  EXPECT_EQ(emu_log_site(0, file, 0, 1, 0), first);
}

}  // namespace
