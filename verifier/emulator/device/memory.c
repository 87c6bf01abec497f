#include "verifier/emulator/device/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "verifier/emulator/device/arena.h"
#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/ranges.h"
#include "verifier/emulator/device/report.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t space_start, space_bytes;
static EmuRanges device_ranges;  // tag: kind and device, tag2: bytes counted
static EmuRanges free_ranges;
static EmuRanges host_ranges;
static uint64_t used_bytes[EMU_MAX_DEVICES];
static EmuArena small[EMU_MAX_DEVICES];  // what requests of less than a page are cut from
static unsigned in_use;                  // a bit for each device

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

// 8 TiB of addresses, or as much of that as the process may have (ulimit -v).
#ifndef EMU_SPACE_BYTES  // a sanitizer leaves less room
#define EMU_SPACE_BYTES (8ull << 40)
#endif
static void reserve_space(void) {
  pthread_atfork(before_fork, after_fork, after_fork);
  for (int device = 0; device < EMU_MAX_DEVICES; ++device)
    small[device] = (EmuArena){.device = device, .kind = EMU_ALLOCATION};
  for (uint64_t bytes = EMU_SPACE_BYTES; bytes >= 64ull << 30; bytes /= 2) {
    void* at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) continue;
    const uint64_t start = emu_round_up((uint64_t)(uintptr_t)at, EMU_PAGE_BYTES);
    space_start = start;
    space_bytes = (bytes - (start - (uint64_t)(uintptr_t)at)) / EMU_PAGE_BYTES * EMU_PAGE_BYTES;
    emu_ranges_insert(&free_ranges, space_start, space_bytes);
    return;
  }
  emu_say(
      "no address space can be reserved (is there a limit, ulimit -v?); every allocation will "
      "fail");
}

static uint64_t tag_of(EmuKind kind, int device) { return (uint64_t)kind << 8 | (uint64_t)device; }
static EmuKind kind_of(const EmuRange* range) { return (EmuKind)(range->tag >> 8); }
static int device_of(const EmuRange* range) { return (int)(range->tag & 0xff); }

uint64_t emu_round_up(uint64_t bytes, uint64_t granule) {
  return (bytes + granule - 1) / granule * granule;
}

static uint64_t capacity(void) {
  const EmuProfile* profile = emu_profile();
  return profile == NULL ? 0 : (uint64_t)(profile->total_memory_bytes - profile->context_bytes);
}

// Counts bytes against a device. The lock is held.
static int charge(int device, uint64_t bytes) {
  if (device < 0 || device >= EMU_MAX_DEVICES) return EMU_INVALID;
  EmuDeviceReport* noted = &emu_report()->devices[device];
  const uint64_t limit = capacity();
  if (bytes > limit || used_bytes[device] > limit - bytes) {
    emu_add(&noted->failed_requests, 1);
    uint64_t none = 0;
    __atomic_compare_exchange_n(&noted->first_failed_bytes, &none, bytes, 0, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
    return EMU_OUT_OF_MEMORY;
  }
  used_bytes[device] += bytes;
  emu_raise(&noted->driver_peak_bytes, used_bytes[device]);
  return EMU_OK;
}

// Takes the lowest free addresses. The lock is held.
static EmuRange* take_addresses(uint64_t bytes) {
  EmuRange* hole = emu_ranges_first_fit(&free_ranges, bytes);
  if (hole == NULL) return NULL;
  const uint64_t start = hole->start, left = hole->size - bytes;
  EmuRange* taken = emu_ranges_insert(&device_ranges, start, bytes);
  if (taken == NULL) return NULL;
  emu_ranges_erase(&free_ranges, start);
  if (left > 0) emu_ranges_insert(&free_ranges, start + bytes, left);
  return taken;
}

// Gives addresses back and joins them with free neighbours. The lock is held.
static void return_addresses(uint64_t start, uint64_t bytes) {
  const EmuRange* after = emu_ranges_find(&free_ranges, start + bytes);
  if (after != NULL) {
    bytes += after->size;
    emu_ranges_erase(&free_ranges, after->start);
  }
  const EmuRange* before = start > space_start ? emu_ranges_find(&free_ranges, start - 1) : NULL;
  if (before != NULL) {
    bytes += before->size;
    start = before->start;
    emu_ranges_erase(&free_ranges, start);
  }
  emu_ranges_insert(&free_ranges, start, bytes);
}

int emu_device_allocate(int device, uint64_t bytes, EmuKind kind, uint64_t* address) {
  pthread_once(&once, reserve_space);
  if (kind == EMU_ALLOCATION && bytes <= EMU_SMALL_BYTES && device >= 0 && device < EMU_MAX_DEVICES)
    return emu_arena_allocate(&small[device], bytes, address);
  if (bytes > UINT64_MAX / 2) bytes = UINT64_MAX / 2;
  const uint64_t rounded = emu_round_up(bytes == 0 ? 1 : bytes, EMU_PAGE_BYTES);
  const uint64_t counted = kind == EMU_RESERVATION || kind == EMU_SYMBOL ? 0 : rounded;
  if (device >= 0 && device < EMU_MAX_DEVICES) emu_device_use(device);
  pthread_mutex_lock(&lock);
  int result = counted == 0 ? EMU_OK : charge(device, counted);
  EmuRange* taken = result == EMU_OK ? take_addresses(rounded) : NULL;
  if (result == EMU_OK && taken == NULL) {
    used_bytes[device] -= counted;
    result = EMU_OUT_OF_MEMORY;
  }
  if (taken != NULL) {
    taken->tag = tag_of(kind, device);
    taken->tag2 = counted;
    *address = taken->start;
  }
  const int there = device >= 0 && device < EMU_MAX_DEVICES;
  const uint64_t used = there ? used_bytes[device] : 0;
  pthread_mutex_unlock(&lock);
  if (taken != NULL && counted != 0) emu_log_segment(device, *address, rounded, used);
  if (result == EMU_OUT_OF_MEMORY) emu_log_out_of_memory(device, bytes, capacity() - used);
  return result;
}

int emu_is_device_address(const void* address) {
  return (uint64_t)(uintptr_t)address - space_start < space_bytes;
}

// The whole pages that hold `address`, be they cut into parts or not.
static EmuPlace pages_at(const void* address) {
  const EmuRanges* ranges = emu_is_device_address(address) ? &device_ranges : &host_ranges;
  EmuPlace place = {EMU_NOWHERE, -1, 0, 0};
  pthread_mutex_lock(&lock);
  const EmuRange* found = emu_ranges_find(ranges, (uint64_t)(uintptr_t)address);
  if (found != NULL)
    place = (EmuPlace){kind_of(found), device_of(found), found->start, found->size};
  pthread_mutex_unlock(&lock);
  return place;
}

int emu_device_free(uint64_t address, EmuKind kind) {
  const EmuPlace place = pages_at((const void*)(uintptr_t)address);
  if (place.kind == EMU_PIECE && kind != EMU_PIECE) return emu_arena_free(address, kind);
  if (place.kind != kind || place.start != address) return EMU_INVALID;
  // Before the addresses can go to anyone else; outside the lock, which fork() takes after that of
  // the contents.
  emu_contents_clear(address, place.size);
  pthread_mutex_lock(&lock);
  const EmuRange* found = emu_ranges_find(&device_ranges, address);
  const int ours = found != NULL && found->start == address && kind_of(found) == kind;
  uint64_t counted = 0, used = 0;
  if (ours) {
    const uint64_t size = found->size;
    counted = found->tag2;
    used = used_bytes[device_of(found)] -= counted;
    emu_ranges_erase(&device_ranges, address);
    return_addresses(address, size);
  }
  pthread_mutex_unlock(&lock);
  if (counted != 0) emu_log_segment_free(place.device, address, counted, used);
  return ours ? EMU_OK : EMU_INVALID;
}

void emu_device_use(int device) { __atomic_fetch_or(&in_use, 1u << device, __ATOMIC_RELAXED); }

int emu_device_is_used(int device) {
  return __atomic_load_n(&in_use, __ATOMIC_RELAXED) >> device & 1;
}

int emu_device_charge(int device, uint64_t bytes) {
  pthread_mutex_lock(&lock);
  const int result = charge(device, bytes);
  const uint64_t used = result == EMU_INVALID ? 0 : used_bytes[device];
  pthread_mutex_unlock(&lock);
  if (result == EMU_OK) emu_log_segment(device, 0, bytes, used);
  if (result == EMU_OUT_OF_MEMORY) emu_log_out_of_memory(device, bytes, capacity() - used);
  return result;
}

void emu_device_refund(int device, uint64_t bytes) {
  pthread_mutex_lock(&lock);
  const uint64_t used = used_bytes[device] -= bytes;
  pthread_mutex_unlock(&lock);
  emu_log_segment_free(device, 0, bytes, used);
}

void emu_device_info(int device, uint64_t* free_bytes, uint64_t* total_bytes) {
  const EmuProfile* profile = emu_profile();
  pthread_mutex_lock(&lock);
  *total_bytes = profile == NULL ? 0 : (uint64_t)profile->total_memory_bytes;
  *free_bytes = capacity() - used_bytes[device];
  pthread_mutex_unlock(&lock);
}

static int note_host(void* address, uint64_t bytes, EmuKind kind, int device) {
  pthread_mutex_lock(&lock);
  const uint64_t start = (uint64_t)(uintptr_t)address;
  const EmuRange* before = emu_ranges_at_or_before(&host_ranges, start + bytes - 1);
  const int overlaps = before != NULL && before->start + before->size > start;
  EmuRange* range = overlaps ? NULL : emu_ranges_insert(&host_ranges, start, bytes);
  if (range != NULL) range->tag = tag_of(kind, device);
  pthread_mutex_unlock(&lock);
  return range != NULL ? EMU_OK : EMU_INVALID;
}

static int forget_host(void* address, EmuKind kind) {
  pthread_mutex_lock(&lock);
  const EmuRange* found = emu_ranges_find(&host_ranges, (uint64_t)(uintptr_t)address);
  const int ours =
      found != NULL && found->start == (uint64_t)(uintptr_t)address && kind_of(found) == kind;
  if (ours) emu_ranges_erase(&host_ranges, found->start);
  pthread_mutex_unlock(&lock);
  return ours ? EMU_OK : EMU_INVALID;
}

int emu_host_allocate(uint64_t bytes, EmuKind kind, int device, void** address) {
  const uint64_t size = bytes == 0 ? 1 : bytes;
  if (posix_memalign(address, 4096, size) != 0) return EMU_OUT_OF_MEMORY;
  if (note_host(*address, size, kind, device) == EMU_OK) return EMU_OK;
  free(*address);
  return EMU_OUT_OF_MEMORY;
}

int emu_host_free(void* address, EmuKind kind) {
  if (forget_host(address, kind) != EMU_OK) return EMU_INVALID;
  free(address);
  return EMU_OK;
}

int emu_host_register(void* address, uint64_t bytes, int device) {
  if (address == NULL || bytes == 0) return EMU_INVALID;
  return note_host(address, bytes, EMU_REGISTERED, device);
}

int emu_host_unregister(void* address) { return forget_host(address, EMU_REGISTERED); }

EmuPlace emu_place(const void* address) {
  const EmuPlace place = pages_at(address);
  return place.kind == EMU_PIECE ? emu_arena_place((uint64_t)(uintptr_t)address) : place;
}

uint64_t emu_space_start(void) {
  pthread_once(&once, reserve_space);
  return space_start;
}

uint64_t emu_space_bytes(void) {
  pthread_once(&once, reserve_space);
  return space_bytes;
}
