#include "verifier/emulator/device/occupancy.h"

#include "verifier/emulator/device/profile.h"

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": threads are
// allocated by warps, and since 8.0 each block takes 1 KiB of shared memory besides its own.
int emu_blocks_per_multiprocessor(int threads_per_block, size_t shared_bytes) {
  const EmuProfile* profile = emu_profile();
  if (profile == NULL || threads_per_block < 1) return 0;
  const int warp_threads = (threads_per_block + 31) / 32 * 32;
  int blocks = profile->max_threads_per_multiprocessor / warp_threads;
  if (blocks > profile->max_blocks_per_multiprocessor)
    blocks = profile->max_blocks_per_multiprocessor;
  const size_t reserved = profile->compute_major >= 8 ? 1024 : 0;
  const size_t per_block = shared_bytes + reserved;
  if (per_block == 0) return blocks;
  const size_t by_shared = (size_t)profile->shared_memory_per_multiprocessor_bytes / per_block;
  return by_shared < (size_t)blocks ? (int)by_shared : blocks;
}
