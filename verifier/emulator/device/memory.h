// Who owns which bytes: device memory by address and by accounting, and host memory the program
// registered.
//
// Device addresses come from one private range that is reserved but never readable, so that a
// program that follows a device pointer on the host fails as it would on a real machine. Addresses
// are handed out lowest first and reused. Everything here is thread-safe; every operation is O(log
// n) in the number of allocations.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { EMU_OK = 0, EMU_OUT_OF_MEMORY = 1, EMU_INVALID = 2 };

typedef enum {
  EMU_NOWHERE,      // ordinary host memory, or no memory at all
  EMU_ALLOCATION,   // cudaMalloc
  EMU_ASYNC,        // cudaMallocAsync
  EMU_PIECE,        // pages that parts are cut from (arena.h)
  EMU_RESERVATION,  // cuMemAddressReserve: addresses without memory
  EMU_SYMBOL,       // a variable of a loaded module; part of the context, not counted
  EMU_PINNED,       // cudaHostAlloc
  EMU_REGISTERED,   // cudaHostRegister
  EMU_MANAGED,      // cudaMallocManaged
} EmuKind;

typedef struct {
  EmuKind kind;
  int device;
  uint64_t start, size;  // of the whole allocation
} EmuPlace;

// Memory is handed out in 2 MiB pages: what a request costs is its size rounded up to this, but
// that small requests of cudaMalloc share a page (arena.h).
enum { EMU_PAGE_BYTES = 2 << 20 };
uint64_t emu_round_up(uint64_t bytes, uint64_t granule);

// A new device range of `bytes`, in whole pages or small, counted against the device unless its
// kind is a reservation or a symbol. EMU_OUT_OF_MEMORY leaves everything as it was and is noted in
// the report.
int emu_device_allocate(int device, uint64_t bytes, EmuKind kind, uint64_t* address);
// EMU_INVALID when nothing of that kind starts at `address`.
int emu_device_free(uint64_t address, EmuKind kind);

// Bytes counted against a device without an address (cuMemCreate); the same limits and report.
int emu_device_charge(int device, uint64_t bytes);
void emu_device_refund(int device, uint64_t bytes);
// Free memory has the context taken off, as cudaMemGetInfo shows it.
void emu_device_info(int device, uint64_t* free_bytes, uint64_t* total_bytes);

// A device is in use, and its context exists, from the first call that needs one.
void emu_device_use(int device);
int emu_device_is_used(int device);

// Host memory the emulator hands out (pinned, managed), page aligned, or takes note of
// (registered).
int emu_host_allocate(uint64_t bytes, EmuKind kind, int device, void** address);
int emu_host_free(void* address, EmuKind kind);
int emu_host_register(void* address, uint64_t bytes, int device);
int emu_host_unregister(void* address);

EmuPlace emu_place(const void* address);
// Cheaper than emu_place: is this an address of ours, allocated or not?
int emu_is_device_address(const void* address);

// The reserved range, for contents.c.
uint64_t emu_space_start(void);
uint64_t emu_space_bytes(void);
