// NCCL: communicators of any size in one process, which is rank r of N; the other ranks are not
// there and agree.
#include "verifier/emulator/nccl/communicator.h"

#include <stdlib.h>
#include <string.h>

#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/stream.h"

static ncclResult_t make(ncclComm_t* communicator, int ranks, int rank) {
  if (emu_profile() == NULL) return ncclUnhandledCudaError;
  if (ranks < 1 || rank < 0 || rank >= ranks) return ncclInvalidArgument;
  *communicator = malloc(sizeof **communicator);
  if (*communicator == NULL) return ncclSystemError;
  **communicator = (struct ncclComm){ranks, rank, emu_current_device()};
  return ncclSuccess;
}

ncclResult_t ncclGetVersion(int* version) {
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  memset(id, 0, sizeof *id);
  memcpy(id->internal, "forerun", 8);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank) {
  (void)id;
  return make(communicator, ranks, rank);
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  (void)id, (void)config;
  return make(communicator, ranks, rank);
}

ncclResult_t ncclCommInitRankScalable(ncclComm_t* communicator, int ranks, int rank, int id_count,
                                      ncclUniqueId* ids, ncclConfig_t* config) {
  (void)id_count, (void)ids, (void)config;
  return make(communicator, ranks, rank);
}

ncclResult_t ncclCommInitAll(ncclComm_t* communicators, int count, const int* devices) {
  for (int i = 0; i < count; ++i) {
    const ncclResult_t result = make(&communicators[i], count, i);
    if (result != ncclSuccess) return result;
    if (devices != NULL) communicators[i]->device = devices[i];
  }
  return ncclSuccess;
}

// Which ranks chose the same colour cannot be known from one of them: the new communicator is this
// rank alone.
ncclResult_t ncclCommSplit(ncclComm_t communicator, int color, int key, ncclComm_t* made,
                           ncclConfig_t* config) {
  (void)communicator, (void)key, (void)config;
  *made = NULL;
  return color < 0 ? ncclSuccess : make(made, 1, 0);
}

static ncclResult_t release(ncclComm_t communicator) {
  free(communicator);
  return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t communicator) { return release(communicator); }
ncclResult_t ncclCommAbort(ncclComm_t communicator) { return release(communicator); }

ncclResult_t ncclCommCount(const ncclComm_t communicator, int* count) {
  *count = communicator->ranks;
  return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t communicator, int* rank) {
  *rank = communicator->rank;
  return ncclSuccess;
}

ncclResult_t ncclCommCuDevice(const ncclComm_t communicator, int* device) {
  *device = communicator->device;
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* error) {
  (void)communicator;
  *error = ncclSuccess;
  return ncclSuccess;
}

ncclResult_t ncclMemAlloc(void** pointer, size_t bytes) {
  uint64_t address = 0;
  const int result = emu_device_allocate(emu_current_device(), bytes, EMU_ALLOCATION, &address);
  *pointer = (void*)(uintptr_t)address;
  return result == EMU_OK ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t ncclMemFree(void* pointer) {
  return emu_device_free((uint64_t)(uintptr_t)pointer, EMU_ALLOCATION) == EMU_OK
             ? ncclSuccess
             : ncclInvalidArgument;
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess: return "no error";
    case ncclUnhandledCudaError: return "unhandled cuda error";
    case ncclSystemError: return "unhandled system error";
    case ncclInvalidArgument: return "invalid argument";
    case ncclInvalidUsage: return "invalid usage";
    default: return "unknown result code";
  }
}

const char* ncclGetLastError(ncclComm_t communicator) {
  (void)communicator;
  return "";
}
