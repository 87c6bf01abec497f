#include "verifier/emulator/device/blocks.h"

#include <pthread.h>
#include <stdlib.h>

#include "verifier/emulator/device/current_device.h"
#include "verifier/emulator/device/events.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/python_agent.h"
#include "verifier/emulator/device/site.h"
#include "verifier/emulator/device/totals.h"

typedef struct {
  uint64_t address;  // 0: free
  int64_t bytes;
  uint32_t site;
  uint8_t device, category;
} Block;

// Open addressing with linear probing, at most half full; an erased slot is filled from behind.
static Block* blocks;
static uint64_t slots, filled, replaced;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t home(uint64_t address) {
  const uint64_t hash = (address >> 9) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 32;
}

// The slot that holds an address, or the free one where it belongs.
static Block* slot_of(uint64_t address) {
  for (uint64_t i = home(address);; ++i) {
    Block* block = &blocks[i & (slots - 1)];
    if (block->address == address || block->address == 0) return block;
  }
}

static int grow(void) {
  Block* old = blocks;
  const uint64_t old_slots = slots, wanted = slots == 0 ? 4096 : slots * 2;
  Block* larger = calloc(wanted, sizeof *larger);
  if (larger == NULL) return 0;
  blocks = larger;
  slots = wanted;
  for (uint64_t i = 0; i < old_slots; ++i) {
    if (old[i].address != 0) *slot_of(old[i].address) = old[i];
  }
  free(old);
  return 1;
}

static void erase(Block* block) {
  uint64_t hole = (uint64_t)(block - blocks);
  for (uint64_t i = hole + 1;; ++i) {
    Block* next = &blocks[i & (slots - 1)];
    if (next->address == 0) break;
    // It may move into the hole unless its home lies behind the hole.
    const uint64_t from_home = (i - home(next->address)) & (slots - 1);
    if (from_home < ((i - hole) & (slots - 1))) continue;
    blocks[hole] = *next;
    hole = i & (slots - 1);
  }
  blocks[hole].address = 0;
  --filled;
}

void emu_blocks_forget(void) {
  pthread_mutex_init(&lock, NULL);
  if (slots != 0) {
    for (uint64_t i = 0; i < slots; ++i) blocks[i].address = 0;
  }
  filled = 0;
}

static void count_at_site(uint32_t site, int64_t bytes, int64_t count) {
  EmuProcessLog* own = emu_log_area();
  if (own == NULL || site == 0) return;
  __atomic_fetch_add(&own->site[site].live_bytes, bytes, __ATOMIC_RELAXED);
  __atomic_fetch_add(&own->site[site].live_blocks, count, __ATOMIC_RELAXED);
}

static void allocated(int device, uint64_t address, int64_t bytes, uint64_t after) {
  const uint32_t site = emu_site(0);
  pthread_mutex_lock(&lock);
  if (filled * 2 < slots || grow()) {
    Block* block = slot_of(address);
    if (block->address == 0) ++filled;
    *block = (Block){address, bytes, site, (uint8_t)device, EMU_CATEGORY_UNKNOWN};
  }
  pthread_mutex_unlock(&lock);
  count_at_site(site, bytes, 1);
  EMU_COUNT(allocations, 1);
  emu_log_event(EMU_EVENT_ALLOC, device, site, address, (uint64_t)bytes, after);
}

static int lasts(int category) {
  return category == EMU_CATEGORY_PARAMETER || category == EMU_CATEGORY_OPTIMIZER_STATE ||
         category == EMU_CATEGORY_BUFFER;
}

static void freed(int device, uint64_t address, int64_t bytes, uint64_t after) {
  uint32_t site = 0;
  pthread_mutex_lock(&lock);
  Block* block = slots == 0 ? NULL : slot_of(address);
  if (block != NULL && block->address == address) {
    site = block->site;
    if (lasts(block->category)) __atomic_fetch_add(&replaced, 1, __ATOMIC_RELAXED);
    erase(block);
  }
  pthread_mutex_unlock(&lock);
  count_at_site(site, -bytes, -1);
  emu_log_event(EMU_EVENT_FREE, device, site, address, (uint64_t)bytes, after);
}

void emu_log_block(int device, uint64_t address, int64_t change, uint64_t total,
                   uint64_t reserved) {
  EmuProcessLog* own = emu_logging() ? emu_log_area() : NULL;
  if (own == NULL || change == 0) return;
  own->device = (uint32_t)device;
  emu_python_agent_start();
  emu_step_memory(device, total, reserved);
  if (change > 0) {
    allocated(device, address, change, total);
  } else {
    freed(device, address, -change, total);
  }
}

void emu_block_categorise(uint64_t address, int category) {
  if (!emu_logging() || emu_log_area() == NULL) return;
  int device = -1;
  pthread_mutex_lock(&lock);
  Block* block = slots == 0 ? NULL : slot_of(address);
  if (block != NULL && block->address == address && block->category != category) {
    block->category = (uint8_t)category;
    device = block->device;
  }
  pthread_mutex_unlock(&lock);
  if (device >= 0) emu_log_event(EMU_EVENT_CATEGORY, device, 0, address, (uint64_t)category, 0);
}

uint64_t emu_blocks_replaced(void) { return __atomic_load_n(&replaced, __ATOMIC_RELAXED); }

void emu_log_workspace(const void* address) {
  if (address != NULL) emu_block_categorise((uint64_t)(uintptr_t)address, EMU_CATEGORY_WORKSPACE);
}
