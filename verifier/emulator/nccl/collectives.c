// Collectives as if every rank held the data this one holds: a gather repeats it, a sum is it times
// the number of ranks. Contents too large to be kept (device/contents.h) come out as zero, as
// everywhere.
#include <stdlib.h>
#include <string.h>

#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/copy.h"
#include "verifier/emulator/device/stream.h"
#include "verifier/emulator/nccl/communicator.h"

static size_t bytes_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
    case ncclFloat8e4m3:
    case ncclFloat8e5m2: return 1;
    case ncclFloat16:
    case ncclBfloat16: return 2;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64: return 8;
    default: return 4;
  }
}

static float bf16_to_float(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static uint16_t float_to_bf16(float value) {  // to nearest, ties to even
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// n equal values reduced by `op`, in place. Averages, maxima and minima of equal values are the
// value.
static void reduce_equal(void* data, size_t count, ncclDataType_t type, ncclRedOp_t op, int n) {
  if (op != ncclSum || n == 1) return;
#define TIMES_N(c_type) \
  for (size_t i = 0; i < count; ++i) ((c_type*)data)[i] = (c_type)(((c_type*)data)[i] * (c_type)n)
  switch (type) {
    case ncclInt8:
    case ncclUint8: TIMES_N(uint8_t); break;
    case ncclInt32:
    case ncclUint32: TIMES_N(uint32_t); break;
    case ncclInt64:
    case ncclUint64: TIMES_N(uint64_t); break;
    case ncclFloat32: TIMES_N(float); break;
    case ncclFloat64: TIMES_N(double); break;
#ifdef __FLT16_MAX__
    case ncclFloat16: TIMES_N(_Float16); break;
#endif
    case ncclBfloat16:
      for (size_t i = 0; i < count; ++i) {
        uint16_t* at = (uint16_t*)data + i;
        *at = float_to_bf16(bf16_to_float(*at) * (float)n);
      }
      break;
    default:
      memset(data, 0, count * bytes_of(type));  // no arithmetic for it here: unknown, so zero
  }
#undef TIMES_N
}

static void reduce_into(void* to, const void* from, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int ranks) {
  const size_t bytes = count * bytes_of(type);
  void* data = bytes == 0 || bytes > EMU_KEPT_BYTES ? NULL : malloc(bytes);
  if (data == NULL) {
    emu_contents_clear((uint64_t)(uintptr_t)to, bytes);
    return;
  }
  emu_contents_read(data, (uint64_t)(uintptr_t)from, bytes);
  reduce_equal(data, count, type, op, ranks);
  emu_contents_write((uint64_t)(uintptr_t)to, data, bytes);
  free(data);
}

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t communicator, cudaStream_t stream) {
  emu_work(stream);
  reduce_into(to, from, count, type, op, communicator->ranks);
  return ncclSuccess;
}

ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t communicator, cudaStream_t stream) {
  if (root != communicator->rank) {
    emu_work(stream);
    return ncclSuccess;
  }
  return ncclAllReduce(from, to, count, type, op, communicator, stream);
}

ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t communicator, cudaStream_t stream) {
  emu_work(stream);
  const char* own = (const char*)from + (size_t)communicator->rank * count * bytes_of(type);
  reduce_into(to, own, count, type, op, communicator->ranks);
  return ncclSuccess;
}

ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
  (void)communicator;
  emu_work(stream);
  // A rank that is not the root keeps what it has: the root has the same.
  if (root == communicator->rank && from != to) emu_copy(to, from, count * bytes_of(type));
  return ncclSuccess;
}

ncclResult_t ncclBcast(void* data, size_t count, ncclDataType_t type, int root,
                       ncclComm_t communicator, cudaStream_t stream) {
  return ncclBroadcast(data, data, count, type, root, communicator, stream);
}

ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type,
                           ncclComm_t communicator, cudaStream_t stream) {
  emu_work(stream);
  const size_t bytes = count * bytes_of(type);
  void* own = bytes == 0 || bytes > EMU_KEPT_BYTES ? NULL : malloc(bytes);
  if (own == NULL) {
    emu_contents_clear((uint64_t)(uintptr_t)to, bytes * (size_t)communicator->ranks);
    return ncclSuccess;
  }
  emu_contents_read(own, (uint64_t)(uintptr_t)from,
                    bytes);  // before `to`, which may hold it, is written
  for (int rank = 0; rank < communicator->ranks; ++rank) {
    emu_contents_write((uint64_t)(uintptr_t)to + (uint64_t)rank * bytes, own, bytes);
  }
  free(own);
  return ncclSuccess;
}

// From rank i this rank receives its own part of what rank i holds, which is what this rank holds.
ncclResult_t ncclAlltoAll(const void* from, void* to, size_t count, ncclDataType_t type,
                          ncclComm_t communicator, cudaStream_t stream) {
  emu_work(stream);
  const size_t bytes = count * bytes_of(type);
  for (int rank = 0; rank < communicator->ranks; ++rank) {
    emu_copy((char*)to + (size_t)rank * bytes,
             (const char*)from + (size_t)communicator->rank * bytes, bytes);
  }
  return ncclSuccess;
}

// What a peer would have sent is not known.
ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream) {
  (void)peer, (void)communicator;
  emu_work(stream);
  emu_contents_clear((uint64_t)(uintptr_t)to, count * bytes_of(type));
  return ncclSuccess;
}

ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream) {
  (void)from, (void)count, (void)type, (void)peer, (void)communicator;
  emu_work(stream);
  return ncclSuccess;
}
