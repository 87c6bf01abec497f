// NCCL's communicators: made, split, destroyed, asked.
#include "verifier/emulator/nccl/communicator.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "verifier/emulator/device/deferred.h"
#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/report.h"
#include "verifier/emulator/device/stream.h"
#include "verifier/emulator/nccl/alone.h"

// Within a group the ranks of one process are made first and waited for at its end.
static __thread int group_depth;
enum { MAX_WAITING = EMU_MAX_RANKS };
static __thread ncclComm_t waiting[MAX_WAITING];
static __thread int waiting_count;

static ncclResult_t connect_ranks(ncclComm_t communicator) {
  switch (emu_region_connect(communicator->region)) {
    case EMU_CONNECTED: return ncclSuccess;
    case EMU_ALONE:
      emu_region_leave(communicator->region);
      communicator->region = NULL;
      return ncclSuccess;
    default: return ncclSystemError;
  }
}

static ncclResult_t connect_now_or_later(ncclComm_t communicator) {
  if (group_depth > 0 && waiting_count < MAX_WAITING) {
    waiting[waiting_count++] = communicator;
    return ncclSuccess;
  }
  return connect_ranks(communicator);
}

ncclResult_t ncclGroupStart(void) {
  ++group_depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void) {
  if (group_depth == 0) return ncclInvalidUsage;
  if (--group_depth > 0) return ncclSuccess;
  ncclResult_t result = ncclSuccess;
  for (int i = 0; i < waiting_count; ++i) {
    const ncclResult_t one = connect_ranks(waiting[i]);
    if (one != ncclSuccess) result = one;
  }
  waiting_count = 0;
  return result;
}

// Without an id the other ranks are not there.
static ncclResult_t make(ncclComm_t* communicator, int ranks, int rank, const EmuRegionId* id) {
  *communicator = NULL;
  if (emu_profile() == NULL) return ncclUnhandledCudaError;
  if (ranks < 1 || rank < 0 || rank >= ranks) return ncclInvalidArgument;
  ncclComm_t made = calloc(1, sizeof *made);
  if (made == NULL) return ncclSystemError;
  made->ranks = ranks;
  made->rank = rank;
  made->device = emu_current_device();
  made->lane = -1;
  if (ranks > 1 && id != NULL) {
    made->lane = emu_lane_open();
    made->region = emu_region_join(id, rank, ranks);
    if (made->region == NULL) {
      free(made);
      return ncclSystemError;
    }
  }
  *communicator = made;
  return ncclSuccess;
}

static ncclResult_t discard(ncclComm_t* communicator, ncclResult_t result) {
  if ((*communicator)->region != NULL) emu_region_leave((*communicator)->region);
  free(*communicator);
  *communicator = NULL;
  return result;
}

ncclResult_t ncclGetVersion(int* version) {
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  _Static_assert(sizeof(EmuRegionId) <= sizeof(ncclUniqueId), "an id fits");
  EmuRegionId region;
  memset(id, 0, sizeof *id);
  if (!emu_region_make(&region)) return ncclSystemError;
  memcpy(id, &region, sizeof region);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank) {
  EmuRegionId region;
  memcpy(&region, &id, sizeof region);
  const int alone = emu_ranks_expected(ranks) == EMU_RANKS_ALONE;
  ncclResult_t result = make(communicator, ranks, rank, alone ? NULL : &region);
  if (result != ncclSuccess || (*communicator)->region == NULL) return result;
  result = connect_now_or_later(*communicator);
  return result == ncclSuccess ? result : discard(communicator, result);
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  (void)config;
  return ncclCommInitRank(communicator, ranks, id, rank);
}

// With several ids any one of them will do, if all ranks take the same.
ncclResult_t ncclCommInitRankScalable(ncclComm_t* communicator, int ranks, int rank, int id_count,
                                      ncclUniqueId* ids, ncclConfig_t* config) {
  (void)config;
  return id_count < 1 ? ncclInvalidArgument : ncclCommInitRank(communicator, ranks, ids[0], rank);
}

// All ranks are devices of this process, so they are there.
ncclResult_t ncclCommInitAll(ncclComm_t* communicators, int count, const int* devices) {
  EmuRegionId id;
  if (count > 1 && !emu_region_make(&id)) return ncclSystemError;
  for (int i = 0; i < count; ++i) {
    const ncclResult_t result = make(&communicators[i], count, i, &id);
    if (result != ncclSuccess) return result;
    communicators[i]->device = devices != NULL ? devices[i] : i;
  }
  for (int i = 0; i < count; ++i) {
    if (communicators[i]->region == NULL) continue;
    const ncclResult_t result = connect_ranks(communicators[i]);
    if (result != ncclSuccess) return result;
  }
  return ncclSuccess;
}

// --- Splitting

typedef struct {
  int color, key;
} Choice;

// The place of `rank` among those of its colour, by key and then by rank.
static int place_of(const Choice* choices, int ranks, int rank) {
  int place = 0;
  for (int other = 0; other < ranks; ++other) {
    const int before = choices[other].key < choices[rank].key ||
                       (choices[other].key == choices[rank].key && other < rank);
    place += choices[other].color == choices[rank].color && before;
  }
  return place;
}

static int count_of(const Choice* choices, int ranks, int color) {
  int count = 0;
  for (int rank = 0; rank < ranks; ++rank) count += choices[rank].color == color;
  return count;
}

// The first of each colour makes the region of the others.
static ncclResult_t split(ncclComm_t parent, const Choice* choices, EmuRegionId* ids,
                          ncclComm_t* made) {
  const Choice own = choices[parent->rank];
  const int place = place_of(choices, parent->ranks, parent->rank);
  const int count = own.color < 0 ? 0 : count_of(choices, parent->ranks, own.color);
  EmuRegionId id;
  memset(&id, 0, sizeof id);
  if (count > 1 && place == 0 && !emu_region_make(&id)) return ncclSystemError;
  ncclResult_t result = emu_exchange(parent, &id, ids, sizeof id);
  if (result != ncclSuccess || own.color < 0) return result;
  if (count == 1) return make(made, 1, 0, NULL);
  for (int rank = 0; rank < parent->ranks; ++rank) {
    if (choices[rank].color != own.color || place_of(choices, parent->ranks, rank) != 0) continue;
    result = make(made, count, place, &ids[rank]);
    if (result != ncclSuccess) return result;
    (*made)->device = parent->device;
    result = connect_ranks(*made);
    return result == ncclSuccess ? result : discard(made, result);
  }
  return ncclInternalError;
}

// Of ranks that are not there the colours are not known: the new communicator is this rank alone.
ncclResult_t ncclCommSplit(ncclComm_t communicator, int color, int key, ncclComm_t* made,
                           ncclConfig_t* config) {
  (void)config;
  *made = NULL;
  if (communicator->region == NULL) return color < 0 ? ncclSuccess : make(made, 1, 0, NULL);
  const Choice own = {color, key};
  Choice* choices = calloc((size_t)communicator->ranks, sizeof *choices);
  EmuRegionId* ids = calloc((size_t)communicator->ranks, sizeof *ids);
  ncclResult_t result = ncclSystemError;
  if (choices != NULL && ids != NULL) {
    result = emu_exchange(communicator, &own, choices, sizeof own);
    if (result == ncclSuccess) result = split(communicator, choices, ids, made);
  }
  free(choices);
  free(ids);
  return result;
}

// --- The end

static ncclResult_t release(ncclComm_t communicator) {
  if (communicator == NULL) return ncclInvalidArgument;
  if (communicator->region != NULL) emu_region_leave(communicator->region);
  free(communicator);
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t communicator) {
  if (communicator == NULL) return ncclInvalidArgument;
  if (communicator->region != NULL) emu_wait_for_owner(communicator);
  return emu_communicator_failure(communicator);
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  if (communicator != NULL) ncclCommFinalize(communicator);
  return release(communicator);
}

ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  if (communicator != NULL && communicator->region != NULL) emu_drop_owner(communicator);
  return release(communicator);
}

// --- Failure

ncclResult_t emu_communicator_failure(ncclComm_t communicator) {
  return __atomic_load_n(&communicator->failure, __ATOMIC_ACQUIRE);
}

void emu_communicator_fail(ncclComm_t communicator, ncclResult_t failure, const char* format, ...) {
  ncclResult_t none = ncclSuccess;
  if (!__atomic_compare_exchange_n(&communicator->failure, &none, failure, 0, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE))
    return;
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  emu_say("NCCL, rank %d of %d: %s", communicator->rank, communicator->ranks, text);
  emu_lane_fail(communicator->lane);
}

void emu_communicator_check(ncclComm_t communicator, int rank) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  const double now = (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
  if (now - communicator->checked < 0.25) return;
  communicator->checked = now;
  if (!emu_region_rank_is_gone(communicator->region, rank)) return;
  emu_communicator_fail(
      communicator, ncclRemoteError,
      "rank %d (process %d) has ended or left the communicator, and is waited for", rank,
      emu_region_pid(communicator->region, rank));
}

// --- Questions

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
  *error = emu_communicator_failure(communicator);
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
    case ncclInternalError: return "internal error";
    case ncclInvalidArgument: return "invalid argument";
    case ncclInvalidUsage: return "invalid usage";
    case ncclRemoteError: return "remote process exited or there was a network error";
    case ncclInProgress: return "NCCL operation in progress";
    default: return "unknown result code";
  }
}

const char* ncclGetLastError(ncclComm_t communicator) {
  (void)communicator;
  return "";
}
