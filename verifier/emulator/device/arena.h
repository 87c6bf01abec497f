// Memory cut from larger pieces: cudaMalloc lets small requests share a page, and a pool cuts
// everything it hands out from pages it keeps. Parts are handed out lowest address first, in units
// of 512 B, the distance at which CUDA places small requests. Everything here is thread-safe.
#pragma once

#include <stdint.h>

#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/ranges.h"

// A request of cudaMalloc up to this shares its page with others. NVIDIA does not say where the
// limit is; PyTorch asks for whole pages, and depends on it only with its caching allocator turned
// off.
enum { EMU_SMALL_BYTES = EMU_PAGE_BYTES / 2, EMU_PART_BYTES = 512 };

typedef struct {
  int device;
  EmuKind kind;         // of the parts
  uint64_t keep_bytes;  // pieces nothing lies in are given back while more than this is held
  EmuRanges pieces, holes;
  uint64_t used, used_high, reserved, reserved_high;
} EmuArena;

int emu_arena_allocate(EmuArena* arena, uint64_t bytes, uint64_t* address);
// Of whatever arena it is; EMU_INVALID when no part of that kind starts at `address`.
int emu_arena_free(uint64_t address, EmuKind kind);
// Gives pieces back that nothing lies in, until no more than `keep` bytes are held.
void emu_arena_trim(EmuArena* arena, uint64_t keep);
// The part that holds `address`, or nowhere.
EmuPlace emu_arena_place(uint64_t address);
