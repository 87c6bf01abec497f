#include "verifier/emulator/device/pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/report.h"

static EmuPool defaults[EMU_MAX_DEVICES];
static EmuPool* current[EMU_MAX_DEVICES];  // null: the default

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make_defaults(void) {
  for (int device = 0; device < EMU_MAX_DEVICES; ++device) {
    defaults[device].arena.device = device;
    defaults[device].arena.kind = EMU_ASYNC;
  }
}

EmuPool* emu_default_pool(int device) {
  if (device < 0 || device >= emu_device_count()) return NULL;
  pthread_once(&once, make_defaults);
  return &defaults[device];
}

EmuPool* emu_current_pool(int device) {
  EmuPool* pool = emu_default_pool(device);
  return pool != NULL && current[device] != NULL ? current[device] : pool;
}

void emu_set_current_pool(int device, EmuPool* pool) { current[device] = pool; }

EmuPool* emu_pool_create(int device) {
  EmuPool* pool = calloc(1, sizeof *pool);
  if (pool != NULL) pool->arena = (EmuArena){.device = device, .kind = EMU_ASYNC};
  return pool;
}

void emu_pool_destroy(EmuPool* pool) {
  if (pool >= defaults && pool < defaults + EMU_MAX_DEVICES) return;
  if (current[pool->arena.device] == pool) current[pool->arena.device] = NULL;
  pool->arena.keep_bytes = 0;
  emu_arena_trim(&pool->arena, 0);
  if (pool->arena.used == 0) free(pool);
}

int emu_pool_allocate(EmuPool* pool, uint64_t bytes, uint64_t* address) {
  uint64_t left = 0, total = 0;
  emu_device_info(pool->arena.device, &left, &total);
  if (left < bytes) emu_arena_trim(&pool->arena, 0);  // before it fails for what lies idle
  return emu_arena_allocate(&pool->arena, bytes, address);
}

int emu_pool_free(uint64_t address) { return emu_arena_free(address, EMU_ASYNC); }
