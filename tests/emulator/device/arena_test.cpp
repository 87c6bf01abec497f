// Memory cut from pages: small requests of cudaMalloc, and pools.
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

extern "C" {
#include "verifier/emulator/device/arena.h"
#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/copy.h"
#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/pool.h"
}

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

std::uint64_t free_bytes() {
  std::uint64_t left = 0, total = 0;
  emu_device_info(0, &left, &total);
  return left;
}

std::uint64_t allocate(std::uint64_t bytes) {
  std::uint64_t address = 0;
  EXPECT_EQ(emu_device_allocate(0, bytes, EMU_ALLOCATION, &address), EMU_OK);
  return address;
}

TEST(Arena, SmallRequestsShareAPage) {
  const std::uint64_t before = free_bytes();
  const std::uint64_t a = allocate(1), b = allocate(513), c = allocate(kMiB);
  EXPECT_EQ(before - free_bytes(), 2 * kMiB);
  EXPECT_EQ(b, a + 512);
  EXPECT_EQ(c, b + 1024);
  const std::uint64_t d = allocate(kMiB);  // no room is left in the first
  EXPECT_EQ(before - free_bytes(), 4 * kMiB);
  const EmuPlace place = emu_place(reinterpret_cast<void*>(b + 600));
  EXPECT_EQ(place.kind, EMU_ALLOCATION);
  EXPECT_EQ(place.start, b);
  EXPECT_EQ(place.size, 1024u);
  EXPECT_EQ(emu_place(reinterpret_cast<void*>(c + kMiB)).kind, EMU_NOWHERE);  // a hole
  for (const std::uint64_t address : {a, b, c, d})
    EXPECT_EQ(emu_device_free(address, EMU_ALLOCATION), EMU_OK);
  EXPECT_EQ(free_bytes(), before);
}

TEST(Arena, WrongFreesAreRefusedAndContentsEnd) {
  const std::uint64_t a = allocate(1024), b = allocate(1024);
  EXPECT_EQ(emu_device_free(a + 512, EMU_ALLOCATION), EMU_INVALID);
  EXPECT_EQ(emu_device_free(a, EMU_ASYNC), EMU_INVALID);
  const int seven = 7;
  int found = 1;
  emu_copy(reinterpret_cast<void*>(a), &seven, sizeof seven);
  EXPECT_EQ(emu_device_free(a, EMU_ALLOCATION), EMU_OK);
  EXPECT_EQ(emu_device_free(a, EMU_ALLOCATION), EMU_INVALID);
  EXPECT_EQ(allocate(1024), a);
  emu_copy(&found, reinterpret_cast<void*>(a), sizeof found);
  EXPECT_EQ(found, 0);
  EXPECT_EQ(emu_device_free(a, EMU_ALLOCATION), EMU_OK);
  EXPECT_EQ(emu_device_free(b, EMU_ALLOCATION), EMU_OK);
}

// Whatever the order, parts do not overlap, and nothing is left at the end.
TEST(Arena, AgreesWithAnOrderedMap) {
  const std::uint64_t before = free_bytes();
  std::mt19937 random(1);
  std::map<std::uint64_t, std::uint64_t> held;
  for (int i = 0; i < 20000; ++i) {
    if (held.size() < 500 && random() % 2 == 0) {
      const std::uint64_t bytes = 1 + random() % (random() % 8 == 0 ? kMiB : 4096);
      const std::uint64_t address = allocate(bytes);
      const auto after = held.lower_bound(address);
      if (after != held.end()) {
        EXPECT_LE(address + bytes, after->first);
      }
      if (after != held.begin()) {
        EXPECT_LE(std::prev(after)->first + std::prev(after)->second, address);
      }
      held[address] = bytes;
    } else if (!held.empty()) {
      auto one = held.lower_bound(std::next(held.begin(), random() % held.size())->first);
      EXPECT_EQ(emu_device_free(one->first, EMU_ALLOCATION), EMU_OK);
      held.erase(one);
    }
  }
  for (const auto& [address, bytes] : held)
    EXPECT_EQ(emu_device_free(address, EMU_ALLOCATION), EMU_OK);
  EXPECT_EQ(free_bytes(), before);
}

TEST(Pool, KeepsWhatItsThresholdSays) {
  const std::uint64_t before = free_bytes();
  EmuPool* pool = emu_pool_create(0);
  std::uint64_t a = 0, b = 0;
  ASSERT_EQ(emu_pool_allocate(pool, 3 * kMiB, &a), EMU_OK);
  ASSERT_EQ(emu_pool_allocate(pool, kMiB, &b), EMU_OK);
  EXPECT_EQ(b, a + 3 * kMiB);  // in what the first left of its two pages
  EXPECT_EQ(pool->arena.used, 4 * kMiB);
  EXPECT_EQ(pool->arena.reserved, 4 * kMiB);
  EXPECT_EQ(emu_pool_free(a), EMU_OK);
  EXPECT_EQ(before - free_bytes(), 4 * kMiB);  // the other still lies in it
  EXPECT_EQ(emu_pool_free(b), EMU_OK);
  EXPECT_EQ(free_bytes(), before);
  pool->arena.keep_bytes = UINT64_MAX;
  ASSERT_EQ(emu_pool_allocate(pool, 3 * kMiB, &a), EMU_OK);
  EXPECT_EQ(emu_pool_free(a), EMU_OK);
  EXPECT_EQ(before - free_bytes(), 4 * kMiB);
  EXPECT_EQ(pool->arena.reserved_high, 4 * kMiB);
  emu_arena_trim(&pool->arena, 0);
  EXPECT_EQ(free_bytes(), before);
  emu_pool_destroy(pool);
}

// What lies idle is given back before a request fails for it.
TEST(Pool, MakesRoomForItself) {
  EmuPool* pool = emu_pool_create(0);
  pool->arena.keep_bytes = UINT64_MAX;
  const std::uint64_t half = free_bytes() / 2 / (2 * kMiB) * 2 * kMiB;
  std::uint64_t a = 0, b = 0;
  ASSERT_EQ(emu_pool_allocate(pool, half, &a), EMU_OK);
  EXPECT_EQ(emu_pool_free(a), EMU_OK);
  EXPECT_EQ(emu_pool_allocate(pool, half + 4 * kMiB, &b), EMU_OK);
  EXPECT_EQ(emu_pool_free(b), EMU_OK);
  emu_pool_destroy(pool);
}

// With something still in it, a pool's memory stays until that is freed.
TEST(Pool, OutlivesItsDestruction) {
  const std::uint64_t before = free_bytes();
  EmuPool* pool = emu_pool_create(0);
  std::uint64_t a = 0;
  ASSERT_EQ(emu_pool_allocate(pool, 100, &a), EMU_OK);
  emu_pool_destroy(pool);
  EXPECT_EQ(emu_place(reinterpret_cast<void*>(a)).kind, EMU_ASYNC);
  EXPECT_EQ(emu_pool_free(a), EMU_OK);
  EXPECT_EQ(free_bytes(), before);
}

}  // namespace
