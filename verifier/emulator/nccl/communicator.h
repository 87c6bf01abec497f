// What the files of the emulated NCCL share.
#pragma once

#include <nccl.h>

#include "verifier/emulator/nccl/region.h"

// Scalars of ncclRedOpCreatePreMulSum alive at a time.
enum { EMU_MAX_SCALARS = 64 };

struct ncclComm {
  int ranks, rank, device;
  EmuRegion* region;     // null: the other ranks are not there, and agree
  int lane;              // deferred.h
  uint64_t collectives;  // issued; changed atomically
  ncclResult_t failure;  // changed atomically
  double checked;        // when the other ranks were last looked at
  struct {
    int used;
    double scale;         // of the host's scalar
    const void* address;  // of the device's, or null
  } scalar[EMU_MAX_SCALARS];
  uint64_t sent[EMU_MAX_RANKS], received[EMU_MAX_RANKS];  // messages, by peer
};

// The work of this communicator cannot be finished any more: says why, once.
void emu_communicator_fail(ncclComm_t communicator, ncclResult_t failure, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
ncclResult_t emu_communicator_failure(ncclComm_t communicator);
// Fails the communicator when this rank has gone. Asks the system a few times a second only.
void emu_communicator_check(ncclComm_t communicator, int rank);

// Every rank's `bytes`, at most EMU_SMALL_BYTES, into all[rank * bytes]; the host waits.
ncclResult_t emu_exchange(ncclComm_t communicator, const void* own, void* all, size_t bytes);
