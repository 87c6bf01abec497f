// What device memory holds. Bytes copied or set by the host, if there are few of them at a time,
// are kept and read back; everything else - what kernels would have computed, and large copies -
// reads as zero.
//
// A range's contents last until it is freed, cleared or handed to another tensor
// (caching_allocator.c).
#pragma once

#include <stddef.h>
#include <stdint.h>

// One copy or fill up to this many bytes is kept; a larger one clears what it covers.
enum { EMU_KEPT_BYTES = 4 << 20 };
// Host memory all kept contents may take together.
#define EMU_ALL_KEPT_BYTES (1ull << 30)

// Device addresses must lie in the emulator's range; the parts that do not are ignored.
void emu_contents_write(uint64_t to, const void* from, uint64_t bytes);
void emu_contents_read(void* to, uint64_t from, uint64_t bytes);
void emu_contents_copy(uint64_t to, uint64_t from, uint64_t bytes);
void emu_contents_fill(uint64_t at, const void* pattern, uint64_t pattern_bytes, uint64_t bytes);
void emu_contents_clear(uint64_t at, uint64_t bytes);
// Whether something is kept there that may be other than zero.
int emu_contents_any(uint64_t at, uint64_t bytes);

// Whether every byte came from the host, by way of copies, and is kept: a read of it does not see
// what a kernel would have written. Kept track of only when there is a log (device/log.h).
int emu_contents_known(uint64_t at, uint64_t bytes);
// What is kept stays, and is no longer known: a kernel has written there.
void emu_contents_forget(uint64_t at, uint64_t bytes);
// After data went from one place to another by way of the host: what is not known stays unknown.
void emu_contents_know_as(uint64_t to, uint64_t from, uint64_t bytes);
