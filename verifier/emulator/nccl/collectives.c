// Collectives. Between ranks that are there, what each brings is put into the memory they share as
// soon as it is known, and the result is taken from it as soon as all have come; neither makes the
// caller wait. Of ranks that are not there each is taken to hold what this one holds: a gather
// repeats it, a sum is it times their number. Contents too large to be kept (device/contents.h)
// come out as zero, as everywhere.
#include <stdlib.h>
#include <string.h>

#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/copy.h"
#include "verifier/emulator/device/deferred.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/stream.h"
#include "verifier/emulator/nccl/communicator.h"
#include "verifier/emulator/nccl/reduce.h"

typedef enum {
  ALL_REDUCE,
  REDUCE,
  REDUCE_SCATTER,
  BROADCAST,
  ALL_GATHER,
  ALL_TO_ALL,
  GATHER,
  SCATTER,
  EXCHANGE,
} Kind;

static const char* const names[] = {
    "ncclAllReduce", "ncclReduce", "ncclReduceScatter", "ncclBroadcast", "ncclAllGather",
    "ncclAlltoAll",  "ncclGather", "ncclScatter",       "ncclCommSplit",
};

// One rank's part in a collective. A part is `count` elements; what a rank brings and gets is one
// part, or one for each rank.
typedef struct {
  EmuDeferred work;
  ncclComm_t communicator;
  uint64_t number;
  Kind kind;
  const char* from;
  char* to;
  size_t count, bytes;  // of one part
  ncclDataType_t type;
  ncclRedOp_t op;
  double scale;  // 1, or what a rank's values are multiplied with first
  int root;
} Part;

static uint64_t address(const void* pointer) { return (uint64_t)(uintptr_t)pointer; }

static int is_reduction(Kind kind) {
  return kind == ALL_REDUCE || kind == REDUCE || kind == REDUCE_SCATTER;
}
static int has_root(Kind kind) {
  return kind == REDUCE || kind == BROADCAST || kind == GATHER || kind == SCATTER;
}
static int at_root(const Part* part) { return part->root == part->communicator->rank; }

static size_t parts_brought(const Part* part) {
  const size_t ranks = (size_t)part->communicator->ranks;
  switch (part->kind) {
    case REDUCE_SCATTER:
    case ALL_TO_ALL: return ranks;
    case BROADCAST: return at_root(part) ? 1 : 0;
    case SCATTER: return at_root(part) ? ranks : 0;
    default: return 1;
  }
}

static size_t parts_gotten(const Part* part) {
  const size_t ranks = (size_t)part->communicator->ranks;
  switch (part->kind) {
    case ALL_GATHER:
    case ALL_TO_ALL: return ranks;
    case REDUCE: return at_root(part) ? 1 : 0;
    case GATHER: return at_root(part) ? ranks : 0;
    default: return 1;
  }
}

static int needs(const Part* part, int rank) {
  if (part->kind == BROADCAST || part->kind == SCATTER) return rank == part->root;
  return parts_gotten(part) > 0;
}

// Which part of what a rank brought is for this one.
static size_t part_for_me(const Part* part) {
  const int scattered =
      part->kind == REDUCE_SCATTER || part->kind == ALL_TO_ALL || part->kind == SCATTER;
  return scattered ? (size_t)part->communicator->rank : 0;
}

// --- Ranks that are not there

static void repeat(const Part* part, const void* own) {
  for (size_t i = 0; i < parts_gotten(part); ++i)
    emu_contents_write(address(part->to) + i * part->bytes, own, part->bytes);
}

static void reduce_alone(const Part* part, void* own) {
  EmuReduction* reduction = emu_reduction_begin(part->count, part->type, part->op);
  if (reduction == NULL) return;
  if (part->scale != 1) emu_nccl_scale(own, part->count, part->type, part->scale);
  emu_reduction_add(reduction, own, part->communicator->ranks);
  emu_reduction_end(reduction, own);
  emu_contents_write(address(part->to), own, part->bytes);
}

// A rank that is not the root of a broadcast or scatter keeps what it has: the root has the same.
static void do_alone(const Part* part) {
  const size_t gotten = parts_gotten(part) * part->bytes;
  if (gotten == 0 || parts_brought(part) == 0) return;
  void* own = part->bytes > EMU_KEPT_BYTES ? NULL : malloc(part->bytes);
  if (own == NULL) {
    emu_contents_clear(address(part->to), gotten);
    return;
  }
  // Before `to`, which may hold it, is written.
  const uint64_t from = address(part->from) + part_for_me(part) * part->bytes;
  const int known = emu_contents_known(from, part->bytes);
  emu_contents_read(own, from, part->bytes);
  if (is_reduction(part->kind)) {
    reduce_alone(part, own);
  } else {
    repeat(part, own);
  }
  free(own);
  if (!known) emu_contents_forget(address(part->to), gotten);
}

// --- Ranks that are there

static EmuCall call_of(const Part* part) {
  const int typed = is_reduction(part->kind);
  return (EmuCall){(uint32_t)part->kind, typed ? (uint32_t)part->type : 0,
                   typed && part->op < ncclNumOps ? (uint32_t)part->op : 0,
                   has_root(part->kind) ? (uint32_t)part->root : 0, part->bytes};
}

static void bring(EmuDeferred* work) {
  Part* part = (Part*)work;
  const size_t bytes = work->reads.bytes;
  EmuRegion* region = part->communicator->region;
  if (!work->drop) {
    const int any = bytes > 0 && bytes <= EMU_KEPT_BYTES &&
                    emu_contents_any(work->reads.start, work->reads.bytes);
    void* data = any ? malloc(bytes) : NULL;
    if (data != NULL) emu_contents_read(data, work->reads.start, bytes);
    if (data != NULL && part->scale != 1)
      emu_nccl_scale(data, bytes / emu_nccl_type_bytes(part->type), part->type, part->scale);
    emu_region_bring(region, part->number, call_of(part), data, bytes);
    free(data);
  }
  free(part);
}

static void compare(const Part* part, int rank, const EmuCall* theirs) {
  const EmuCall own = call_of(part);
  if (memcmp(&own, theirs, sizeof own) == 0) return;
  emu_communicator_fail(
      part->communicator, ncclInvalidUsage,
      "collective %llu: this rank calls %s (%llu B, type %u, operation %u, root %u), rank %d calls "
      "%s (%llu B, type %u, operation %u, root %u)",
      (unsigned long long)part->number, names[own.call], (unsigned long long)own.bytes, own.type,
      own.op, own.root, rank, names[theirs->call], (unsigned long long)theirs->bytes, theirs->type,
      theirs->op, theirs->root);
}

// Whether all have come that are needed; so, too, when they never will.
static int all_here(EmuDeferred* work) {
  const Part* part = (const Part*)work;
  ncclComm_t communicator = part->communicator;
  for (int rank = 0; rank < communicator->ranks; ++rank) {
    if (!needs(part, rank) && rank != communicator->rank) continue;
    const EmuCall* theirs = emu_region_brought(communicator->region, part->number, rank);
    if (theirs != NULL) {
      compare(part, rank, theirs);
      continue;
    }
    emu_communicator_check(communicator, rank);
    return emu_communicator_failure(communicator) != ncclSuccess;
  }
  return 1;
}

static void take_parts(const Part* part, void* between) {
  const EmuRegion* region = part->communicator->region;
  const size_t gotten = parts_gotten(part);
  uint64_t at = address(part->to);
  for (int rank = 0; rank < part->communicator->ranks; ++rank) {
    if (!needs(part, rank)) continue;
    if (emu_region_read(region, part->number, rank, part_for_me(part) * part->bytes, between,
                        part->bytes)) {
      emu_contents_write(at, between, part->bytes);
    } else {
      emu_contents_clear(at, part->bytes);
    }
    if (gotten > 1) at += part->bytes;
  }
}

static void take_reduced(const Part* part, void* between) {
  EmuReduction* reduction = emu_reduction_begin(part->count, part->type, part->op);
  if (reduction == NULL) return;
  int any = 0;
  for (int rank = 0; rank < part->communicator->ranks; ++rank) {
    any |= emu_region_read(part->communicator->region, part->number, rank,
                           part_for_me(part) * part->bytes, between, part->bytes);
    emu_reduction_add(reduction, between, 1);
  }
  emu_reduction_end(reduction, between);
  if (any) {
    emu_contents_write(address(part->to), between, part->bytes);
  } else {
    emu_contents_clear(address(part->to), part->bytes);
  }
}

static void take(EmuDeferred* work) {
  Part* part = (Part*)work;
  EmuRegion* region = part->communicator->region;
  const int failed = emu_communicator_failure(part->communicator) != ncclSuccess;
  if (!work->drop && work->writes.bytes > 0) {
    void* between = failed ? NULL : malloc(part->bytes);
    if (between == NULL) {
      emu_contents_clear(work->writes.start, work->writes.bytes);
    } else if (is_reduction(part->kind)) {
      take_reduced(part, between);
    } else {
      take_parts(part, between);
    }
    free(between);
  }
  if (!failed) emu_region_done(region, part->number);
  free(part);
}

static Part* copy_of(const Part* part) {
  Part* copy = malloc(sizeof *copy);
  if (copy != NULL) *copy = *part;
  return copy;
}

static ncclResult_t gone(ncclComm_t communicator) {
  emu_communicator_fail(communicator, ncclRemoteError,
                        "another rank has ended or left the communicator");
  return ncclRemoteError;
}

static ncclResult_t do_together(const Part* part, cudaStream_t stream) {
  ncclComm_t communicator = part->communicator;
  Part* bringing = copy_of(part);
  Part* taking = copy_of(part);
  if (bringing == NULL || taking == NULL) {
    free(bringing);
    free(taking);
    return ncclSystemError;
  }
  const uint64_t number = __atomic_fetch_add(&communicator->collectives, 1, __ATOMIC_RELAXED);
  bringing->number = taking->number = number;
  if (!emu_region_open(communicator->region, number)) {
    free(bringing);
    free(taking);
    return gone(communicator);
  }
  bringing->work = (EmuDeferred){.reads = {address(part->from), parts_brought(part) * part->bytes},
                                 .owner = communicator,
                                 .lane = -1,
                                 .device = communicator->device,
                                 .run = bring};
  const size_t gotten = parts_gotten(part) * part->bytes;
  const int kept = part->bytes <= EMU_KEPT_BYTES;
  taking->work = (EmuDeferred){.writes = {address(part->to), kept ? gotten : 0},
                               .owner = communicator,
                               .lane = communicator->lane,
                               .number = emu_lane_next(communicator->lane),
                               .device = communicator->device,
                               .ready = all_here,
                               .run = take};
  emu_clock_advance(emu_stream_clock(emu_stream(stream)), taking->work.lane, taking->work.number);
  emu_defer(&bringing->work);
  // What is too large to be kept is not waited for: nothing comes.
  if (!kept) emu_contents_clear(address(part->to), gotten);
  emu_defer(&taking->work);
  return ncclSuccess;
}

ncclResult_t emu_exchange(ncclComm_t communicator, const void* own, void* all, size_t bytes) {
  const Part part = {.communicator = communicator, .kind = EXCHANGE, .bytes = bytes};
  const uint64_t number = __atomic_fetch_add(&communicator->collectives, 1, __ATOMIC_RELAXED);
  if (!emu_region_open(communicator->region, number)) return gone(communicator);
  emu_region_bring(communicator->region, number, call_of(&part), own, bytes);
  unsigned pause = 0;
  for (int rank = 0; rank < communicator->ranks; ++rank) {
    const EmuCall* theirs = NULL;
    while ((theirs = emu_region_brought(communicator->region, number, rank)) == NULL) {
      emu_communicator_check(communicator, rank);
      if (emu_communicator_failure(communicator) != ncclSuccess) return ncclRemoteError;
      emu_pause(&pause);
    }
    if (theirs->call != EXCHANGE) return ncclInvalidUsage;
    emu_region_read(communicator->region, number, rank, 0, (char*)all + (size_t)rank * bytes,
                    bytes);
  }
  emu_region_done(communicator->region, number);
  return ncclSuccess;
}

// --- Entry points

static ncclResult_t collective(Part part, cudaStream_t stream) {
  ncclComm_t communicator = part.communicator;
  if (communicator == NULL) return ncclInvalidArgument;
  if (has_root(part.kind) && (part.root < 0 || part.root >= communicator->ranks))
    return ncclInvalidArgument;
  const ncclResult_t failure = emu_communicator_failure(communicator);
  if (failure != ncclSuccess) return failure;
  emu_work(stream);
  part.bytes = part.count * emu_nccl_type_bytes(part.type);
  part.scale = 1;
  emu_log_collective(names[part.kind], part.bytes, communicator->ranks);
  if (is_reduction(part.kind) && part.op >= ncclNumOps) {
    const int index = (int)part.op - (int)ncclNumOps;
    if (index >= EMU_MAX_SCALARS || !communicator->scalar[index].used) return ncclInvalidArgument;
    part.scale = communicator->scalar[index].scale;
    if (communicator->scalar[index].address != NULL) {
      unsigned char value[8];
      emu_copy(value, communicator->scalar[index].address, emu_nccl_type_bytes(part.type));
      part.scale = emu_nccl_scalar(value, part.type);
    }
    part.op = ncclSum;
  }
  if (communicator->region != NULL) return do_together(&part, stream);
  do_alone(&part);
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t communicator, cudaStream_t stream) {
  return collective((Part){.communicator = communicator,
                           .kind = ALL_REDUCE,
                           .from = from,
                           .to = to,
                           .count = count,
                           .type = type,
                           .op = op},
                    stream);
}

ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t communicator, cudaStream_t stream) {
  return collective((Part){.communicator = communicator,
                           .kind = REDUCE,
                           .from = from,
                           .to = to,
                           .count = count,
                           .type = type,
                           .op = op,
                           .root = root},
                    stream);
}

ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t communicator, cudaStream_t stream) {
  return collective((Part){.communicator = communicator,
                           .kind = REDUCE_SCATTER,
                           .from = from,
                           .to = to,
                           .count = count,
                           .type = type,
                           .op = op},
                    stream);
}

// Collectives without arithmetic.
static ncclResult_t move(Kind kind, const void* from, void* to, size_t count, ncclDataType_t type,
                         int root, ncclComm_t communicator, cudaStream_t stream) {
  return collective((Part){.communicator = communicator,
                           .kind = kind,
                           .from = from,
                           .to = to,
                           .count = count,
                           .type = type,
                           .root = root},
                    stream);
}

ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
  return move(BROADCAST, from, to, count, type, root, communicator, stream);
}

ncclResult_t ncclBcast(void* data, size_t count, ncclDataType_t type, int root,
                       ncclComm_t communicator, cudaStream_t stream) {
  return move(BROADCAST, data, data, count, type, root, communicator, stream);
}

ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type,
                           ncclComm_t communicator, cudaStream_t stream) {
  return move(ALL_GATHER, from, to, count, type, 0, communicator, stream);
}

// NCCL has these three since 2.28; older headers do not declare them.
ncclResult_t ncclAlltoAll(const void* from, void* to, size_t count, ncclDataType_t type,
                          ncclComm_t communicator, cudaStream_t stream) {
  return move(ALL_TO_ALL, from, to, count, type, 0, communicator, stream);
}

ncclResult_t ncclGather(const void* from, void* to, size_t count, ncclDataType_t type, int root,
                        ncclComm_t communicator, cudaStream_t stream) {
  return move(GATHER, from, to, count, type, root, communicator, stream);
}

ncclResult_t ncclScatter(const void* from, void* to, size_t count, ncclDataType_t type, int root,
                         ncclComm_t communicator, cudaStream_t stream) {
  return move(SCATTER, from, to, count, type, root, communicator, stream);
}

// --- Scalars

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* scalar, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t communicator) {
  for (int i = 0; i < EMU_MAX_SCALARS; ++i) {
    if (__atomic_exchange_n(&communicator->scalar[i].used, 1, __ATOMIC_ACQ_REL)) continue;
    const int on_host = residence == ncclScalarHostImmediate;
    communicator->scalar[i].scale = on_host ? emu_nccl_scalar(scalar, type) : 1;
    communicator->scalar[i].address = on_host ? NULL : scalar;
    *op = (ncclRedOp_t)((int)ncclNumOps + i);
    return ncclSuccess;
  }
  return ncclInternalError;
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t communicator) {
  const int index = (int)op - (int)ncclNumOps;
  if (index < 0 || index >= EMU_MAX_SCALARS) return ncclInvalidArgument;
  __atomic_store_n(&communicator->scalar[index].used, 0, __ATOMIC_RELEASE);
  return ncclSuccess;
}
