#include "verifier/emulator/device/arena.h"

#include <pthread.h>
#include <stddef.h>

#include "verifier/emulator/device/contents.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static EmuRanges parts;  // of all arenas; tag: the arena

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

// Nothing is called with the lock held that takes another of the device's: fork() takes them all.
static void watch_forks(void) { pthread_atfork(before_fork, after_fork, after_fork); }

static void raise_high(uint64_t* high, uint64_t value) {
  if (value > *high) *high = value;
}

// The lock is held.
static void add_piece(EmuArena* arena, uint64_t start, uint64_t bytes) {
  emu_ranges_insert(&arena->pieces, start, bytes);
  emu_ranges_insert(&arena->holes, start, bytes);
  arena->reserved += bytes;
  raise_high(&arena->reserved_high, arena->reserved);
}

// Cuts `bytes` from the lowest hole that has them. The lock is held.
static EmuRange* cut(EmuArena* arena, uint64_t bytes) {
  const EmuRange* hole = emu_ranges_first_fit(&arena->holes, bytes);
  if (hole == NULL) return NULL;
  const uint64_t start = hole->start, left = hole->size - bytes;
  EmuRange* part = emu_ranges_insert(&parts, start, bytes);
  if (part == NULL) return NULL;
  part->tag = (uint64_t)(uintptr_t)arena;
  emu_ranges_erase(&arena->holes, start);
  if (left > 0) emu_ranges_insert(&arena->holes, start + bytes, left);
  arena->used += bytes;
  raise_high(&arena->used_high, arena->used);
  return part;
}

// Cuts from what is there; else, with a piece of `piece_bytes` at `piece`, from that.
static int allocate_from(EmuArena* arena, uint64_t piece, uint64_t piece_bytes, uint64_t bytes,
                         uint64_t* address) {
  pthread_mutex_lock(&lock);
  if (piece_bytes > 0) add_piece(arena, piece, piece_bytes);
  const EmuRange* part = cut(arena, bytes);
  if (part != NULL) *address = part->start;
  pthread_mutex_unlock(&lock);
  return part != NULL ? EMU_OK : EMU_OUT_OF_MEMORY;
}

int emu_arena_allocate(EmuArena* arena, uint64_t bytes, uint64_t* address) {
  pthread_once(&once, watch_forks);
  if (bytes > UINT64_MAX / 2) bytes = UINT64_MAX / 2;
  const uint64_t size = emu_round_up(bytes == 0 ? 1 : bytes, EMU_PART_BYTES);
  if (allocate_from(arena, 0, 0, size, address) == EMU_OK) return EMU_OK;
  uint64_t piece = 0;
  const int result = emu_device_allocate(arena->device, size, EMU_PIECE, &piece);
  if (result != EMU_OK) return result;
  return allocate_from(arena, piece, emu_round_up(size, EMU_PAGE_BYTES), size, address);
}

// Joins a hole with its neighbours of the same piece. The lock is held.
static void add_hole(EmuArena* arena, uint64_t start, uint64_t size) {
  const EmuRange* piece = emu_ranges_find(&arena->pieces, start);
  const EmuRange* after = emu_ranges_find(&arena->holes, start + size);
  if (after != NULL && start + size < piece->start + piece->size) {
    size += after->size;
    emu_ranges_erase(&arena->holes, after->start);
  }
  const EmuRange* before = start > piece->start ? emu_ranges_find(&arena->holes, start - 1) : NULL;
  if (before != NULL) {
    size += before->size;
    start = before->start;
    emu_ranges_erase(&arena->holes, start);
  }
  emu_ranges_insert(&arena->holes, start, size);
}

// The highest piece at or below `limit` that is one hole, or null. The lock is held.
static const EmuRange* empty_piece(EmuArena* arena, uint64_t limit) {
  for (;;) {
    const EmuRange* piece = emu_ranges_at_or_before(&arena->pieces, limit);
    if (piece == NULL) return NULL;
    const EmuRange* hole = emu_ranges_find(&arena->holes, piece->start);
    if (hole != NULL && hole->size == piece->size) return piece;
    if (piece->start == 0) return NULL;
    limit = piece->start - 1;
  }
}

void emu_arena_trim(EmuArena* arena, uint64_t keep) {
  for (uint64_t limit = UINT64_MAX;;) {
    pthread_mutex_lock(&lock);
    const EmuRange* piece = arena->reserved > keep ? empty_piece(arena, limit) : NULL;
    uint64_t start = 0;
    if (piece != NULL) {
      start = piece->start;
      arena->reserved -= piece->size;
      emu_ranges_erase(&arena->holes, start);
      emu_ranges_erase(&arena->pieces, start);
    }
    pthread_mutex_unlock(&lock);
    if (start == 0) return;
    emu_device_free(start, EMU_PIECE);
    limit = start - 1;
  }
}

int emu_arena_free(uint64_t address, EmuKind kind) {
  const EmuPlace place = emu_arena_place(address);
  if (place.kind != kind || place.start != address) return EMU_INVALID;
  emu_contents_clear(address, place.size);  // before the addresses can go to anyone else
  pthread_mutex_lock(&lock);
  const EmuRange* part = emu_ranges_find(&parts, address);
  EmuArena* arena = part != NULL && part->start == address ? (EmuArena*)(uintptr_t)part->tag : NULL;
  if (arena != NULL) {
    const uint64_t size = part->size;
    arena->used -= size;
    emu_ranges_erase(&parts, address);
    add_hole(arena, address, size);
  }
  pthread_mutex_unlock(&lock);
  if (arena == NULL) return EMU_INVALID;
  emu_arena_trim(arena, arena->keep_bytes);
  return EMU_OK;
}

EmuPlace emu_arena_place(uint64_t address) {
  EmuPlace place = {EMU_NOWHERE, -1, 0, 0};
  pthread_mutex_lock(&lock);
  const EmuRange* part = emu_ranges_find(&parts, address);
  if (part != NULL) {
    const EmuArena* arena = (const EmuArena*)(uintptr_t)part->tag;
    place = (EmuPlace){arena->kind, arena->device, part->start, part->size};
  }
  pthread_mutex_unlock(&lock);
  return place;
}
