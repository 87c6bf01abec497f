#include "verifier/emulator/device/pool.h"

#include <stdlib.h>

#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/report.h"

static EmuPool defaults[EMU_MAX_DEVICES];

EmuPool* emu_default_pool(int device) {
  if (device < 0 || device >= emu_device_count()) return NULL;
  defaults[device].device = device;
  return &defaults[device];
}

EmuPool* emu_pool_create(int device) {
  EmuPool* pool = calloc(1, sizeof *pool);
  if (pool != NULL) pool->device = device;
  return pool;
}

void emu_pool_destroy(EmuPool* pool) {
  if (pool < defaults || pool >= defaults + EMU_MAX_DEVICES) free(pool);
}

int emu_pool_allocate(EmuPool* pool, uint64_t bytes, uint64_t* address) {
  const int result = emu_device_allocate(pool->device, bytes, EMU_ASYNC, address);
  if (result != EMU_OK) return result;
  const uint64_t size = emu_round_up(bytes, EMU_PAGE_BYTES);
  emu_raise(&pool->used_high, __atomic_add_fetch(&pool->used, size, __ATOMIC_RELAXED));
  return EMU_OK;
}

// The pool of an allocation is not looked up: only default pools report what is used.
int emu_pool_free(uint64_t address) {
  const EmuPlace place = emu_place((const void*)(uintptr_t)address);
  if (place.kind != EMU_ASYNC) return EMU_INVALID;
  const int result = emu_device_free(address, EMU_ASYNC);
  if (result == EMU_OK)
    __atomic_sub_fetch(&defaults[place.device].used, place.size, __ATOMIC_RELAXED);
  return result;
}
