// The GPU that is emulated, as FORERUN_EMULATOR_PROFILE describes it (key=value lines, written by
// verifier/dryrun).
#pragma once

#include <stdint.h>

typedef struct {
  char name[64];
  char vendor_name[128];
  int devices;
  int compute_major, compute_minor;
  int multiprocessors;
  int max_threads_per_multiprocessor;
  int max_blocks_per_multiprocessor;
  int64_t shared_memory_per_multiprocessor_bytes;
  int64_t shared_memory_per_block_optin_bytes;
  int64_t l2_cache_bytes;
  int64_t memory_bandwidth_bytes_per_s;
  int64_t total_memory_bytes;
  int64_t context_bytes;
} EmuProfile;

// Null, after one message, when the variable is unset or wrong: the program then sees a machine
// without a GPU. Read at the first call, not when the library is loaded.
const EmuProfile* emu_profile(void);

// profile->devices, less what CUDA_VISIBLE_DEVICES hides; 0 without a profile.
int emu_device_count(void);
