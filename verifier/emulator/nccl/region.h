// The memory that the ranks of one communicator share when they are several processes, or several
// devices of one: who has come, and what each brought to each collective. It is an anonymous file
// that rank 0 makes and the others open through /proc, so that nothing is left behind however any
// of them ends.
//
// Contents travel only where they are kept (device/contents.h) and may be other than zero; of
// everything else only the size does.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Ranks that may really be there; each rank can be so many collectives or messages ahead of the
// slowest, as CUDA's launch queue would let it be.
enum { EMU_MAX_RANKS = 128, EMU_AHEAD = 1024, EMU_MESSAGES_AHEAD = 256, EMU_SMALL_BYTES = 64 };

// What ncclGetUniqueId hands out; it fits ncclUniqueId.
typedef struct {
  char magic[8];
  int32_t pid, fd;
  uint64_t start_time;  // of the process, so that a reused pid is not taken for it
  uint64_t token;
} EmuRegionId;

typedef enum { EMU_CONNECTED, EMU_ALONE, EMU_LOST } EmuConnection;

// What a rank calls. Two ranks whose calls differ have a bug that would hang or corrupt NCCL.
typedef struct {
  uint32_t call, type, op, root;
  uint64_t bytes;  // of one part
} EmuCall;

typedef struct EmuRegion EmuRegion;

// False when there can be no region: the system's reason is said.
int emu_region_make(EmuRegionId* id);
// Takes part as `rank` of `ranks`. Null, with what is wrong said, when the region is gone or the
// rank is taken.
EmuRegion* emu_region_join(const EmuRegionId* id, int rank, int ranks);
// Waits until all ranks have come. EMU_ALONE: none of the others ever will (alone.h); EMU_LOST: one
// came and ended, or the others went on without this one.
EmuConnection emu_region_connect(EmuRegion* region);
// This rank brings nothing any more.
void emu_region_leave(EmuRegion* region);

// Collectives are numbered from 0, alike in all ranks.
// Waits until the slot of this number is free; false when another rank has gone.
int emu_region_open(EmuRegion* region, uint64_t number);
void emu_region_bring(EmuRegion* region, uint64_t number, EmuCall call, const void* data,
                      uint64_t bytes);
// The call of a rank, or null while it has not come.
const EmuCall* emu_region_brought(const EmuRegion* region, uint64_t number, int rank);
// Part of what a rank brought; false, and zeros, when that is nothing but zeros.
int emu_region_read(const EmuRegion* region, uint64_t number, int rank, uint64_t offset, void* to,
                    uint64_t bytes);
// This rank needs nothing of this collective any more.
void emu_region_done(EmuRegion* region, uint64_t number);

// Messages between two ranks, numbered from 0.
int emu_region_message_open(EmuRegion* region, int to, uint64_t number);
void emu_region_send(EmuRegion* region, int to, uint64_t number, uint64_t bytes, const void* data);
// Whether it is there; *bytes is then its size.
int emu_region_message(const EmuRegion* region, int from, uint64_t number, uint64_t* bytes);
void emu_region_receive(EmuRegion* region, int from, uint64_t number, void* to, uint64_t bytes);

// Whether a rank has left or its process has ended. Asks the system; not for every poll.
int emu_region_rank_is_gone(const EmuRegion* region, int rank);
int emu_region_pid(const EmuRegion* region, int rank);
