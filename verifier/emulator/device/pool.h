// Memory pools (cudaMallocAsync): arenas that keep what is freed up to a release threshold. A real
// pool gives memory back at the next synchronisation; here work is over when it is issued, so at
// once. It grows by whole pages, the least there is: NVIDIA does not say by how much its own do.
#pragma once

#include <stdint.h>

#include "verifier/emulator/device/arena.h"

typedef struct {
  EmuArena arena;
} EmuPool;

EmuPool* emu_default_pool(int device);  // null for a device that is not there
// The pool cudaMallocAsync takes from; the default one until another is set.
EmuPool* emu_current_pool(int device);
void emu_set_current_pool(int device, EmuPool* pool);

EmuPool* emu_pool_create(int device);
// What is still allocated stays, as CUDA promises.
void emu_pool_destroy(EmuPool* pool);

int emu_pool_allocate(EmuPool* pool, uint64_t bytes, uint64_t* address);
int emu_pool_free(uint64_t address);  // EMU_INVALID when it is not from a pool
