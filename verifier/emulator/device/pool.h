// Memory pools (cudaMallocAsync). What a pool holds is what it has handed out: real pools keep
// freed memory up to a release threshold, which no figure of PyTorch's depends on.
#pragma once

#include <stdint.h>

typedef struct {
  int device;
  uint64_t release_threshold;
  uint64_t used, used_high;
} EmuPool;

EmuPool* emu_default_pool(int device);  // null for a device that is not there
EmuPool* emu_pool_create(int device);
void emu_pool_destroy(EmuPool* pool);

int emu_pool_allocate(EmuPool* pool, uint64_t bytes, uint64_t* address);
int emu_pool_free(uint64_t address);  // EMU_INVALID when it is not from a pool
