// Messages from one rank to another. A send does not wait for its receiver, and a message is
// received when it has come. Of a rank that is not there nothing is known: what it would have sent
// is zero.
#include <stdlib.h>

#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/deferred.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/stream.h"
#include "verifier/emulator/nccl/communicator.h"
#include "verifier/emulator/nccl/reduce.h"

typedef struct {
  EmuDeferred work;
  ncclComm_t communicator;
  int peer;
  uint64_t number;
  size_t bytes;
} Message;

static uint64_t address(const void* pointer) { return (uint64_t)(uintptr_t)pointer; }

static void send(EmuDeferred* work) {
  Message* message = (Message*)work;
  if (!work->drop) {
    const int any =
        message->bytes <= EMU_KEPT_BYTES && emu_contents_any(work->reads.start, work->reads.bytes);
    void* data = any ? malloc(message->bytes) : NULL;
    if (data != NULL) emu_contents_read(data, work->reads.start, message->bytes);
    emu_region_send(message->communicator->region, message->peer, message->number, message->bytes,
                    data);
    free(data);
  }
  free(message);
}

static int has_come(EmuDeferred* work) {
  const Message* message = (const Message*)work;
  ncclComm_t communicator = message->communicator;
  uint64_t bytes = 0;
  if (emu_region_message(communicator->region, message->peer, message->number, &bytes)) {
    if (bytes != message->bytes)
      emu_communicator_fail(communicator, ncclInvalidUsage,
                            "message %llu from rank %d has %llu B, %llu B are received",
                            (unsigned long long)message->number, message->peer,
                            (unsigned long long)bytes, (unsigned long long)message->bytes);
    return 1;
  }
  emu_communicator_check(communicator, message->peer);
  return emu_communicator_failure(communicator) != ncclSuccess;
}

static void receive(EmuDeferred* work) {
  Message* message = (Message*)work;
  EmuRegion* region = message->communicator->region;
  const int failed = emu_communicator_failure(message->communicator) != ncclSuccess;
  if (!work->drop) {
    void* data = failed || work->writes.bytes == 0 ? NULL : malloc(message->bytes);
    if (!failed) emu_region_receive(region, message->peer, message->number, data, message->bytes);
    if (data != NULL) {
      emu_contents_write(work->writes.start, data, message->bytes);
    } else {
      emu_contents_clear(work->writes.start, work->writes.bytes);
    }
    free(data);
  }
  free(message);
}

static Message* make(ncclComm_t communicator, int peer, size_t bytes, ncclResult_t* result) {
  *result = ncclInvalidArgument;
  if (communicator == NULL || peer < 0 || peer >= communicator->ranks) return NULL;
  *result = emu_communicator_failure(communicator);
  if (*result != ncclSuccess) return NULL;
  Message* message = calloc(1, sizeof *message);
  *result = message == NULL ? ncclSystemError : ncclSuccess;
  if (message == NULL) return NULL;
  message->communicator = communicator;
  message->peer = peer;
  message->bytes = bytes;
  message->work.owner = communicator;
  message->work.lane = -1;
  message->work.device = communicator->device;
  return message;
}

ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream) {
  const size_t bytes = count * emu_nccl_type_bytes(type);
  ncclResult_t result;
  Message* message = make(communicator, peer, bytes, &result);
  if (message == NULL) return result;
  emu_work(stream);
  emu_log_collective("ncclSend", bytes, communicator->ranks);
  if (communicator->region == NULL) {
    free(message);
    return ncclSuccess;
  }
  message->number = __atomic_fetch_add(&communicator->sent[peer], 1, __ATOMIC_RELAXED);
  if (!emu_region_message_open(communicator->region, peer, message->number)) {
    free(message);
    emu_communicator_fail(communicator, ncclRemoteError,
                          "another rank has ended or left the communicator");
    return ncclRemoteError;
  }
  message->work.reads = (EmuSpan){address(from), bytes};
  message->work.run = send;
  emu_defer(&message->work);
  return ncclSuccess;
}

ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream) {
  const size_t bytes = count * emu_nccl_type_bytes(type);
  ncclResult_t result;
  Message* message = make(communicator, peer, bytes, &result);
  if (message == NULL) return result;
  emu_work(stream);
  emu_log_collective("ncclRecv", bytes, communicator->ranks);
  const int kept = communicator->region != NULL && bytes <= EMU_KEPT_BYTES;
  if (!kept) emu_contents_clear(address(to), bytes);
  if (communicator->region == NULL) {
    free(message);
    return ncclSuccess;
  }
  message->number = __atomic_fetch_add(&communicator->received[peer], 1, __ATOMIC_RELAXED);
  message->work.writes = (EmuSpan){address(to), kept ? bytes : 0};
  message->work.ready = has_come;
  message->work.run = receive;
  message->work.lane = communicator->lane;
  message->work.number = emu_lane_next(communicator->lane);
  emu_clock_advance(emu_stream_clock(emu_stream(stream)), communicator->lane, message->work.number);
  emu_defer(&message->work);
  return ncclSuccess;
}
