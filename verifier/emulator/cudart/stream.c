// Streams and events. Work is over when it is issued, so queries say "done" and waits do not wait.
#include "verifier/emulator/device/stream.h"

#include "verifier/emulator/cudart/runtime.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/report.h"

static void wait(void) { emu_add(&emu_report()->synchronisations, 1); }

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  const cudaError_t error = emu_check_device(emu_current_device());
  if (error != cudaSuccess) return emu_fail(error);
  *stream = (cudaStream_t)emu_stream_create(flags, priority < -5  ? -5
                                                   : priority > 0 ? 0
                                                                  : priority);
  return *stream != NULL ? cudaSuccess : emu_fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (emu_stream(stream) == NULL) return emu_fail(cudaErrorInvalidResourceHandle);
  emu_stream_destroy(emu_stream(stream));
  return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = emu_stream(stream) == NULL ? 0 : emu_stream(stream)->priority;
  return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  *flags = emu_stream(stream) == NULL ? 0 : emu_stream(stream)->flags;
  return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  *id = emu_stream(stream) == NULL ? 0 : emu_stream(stream)->id;
  return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (emu_capture_break(emu_stream(stream))) return emu_fail(cudaErrorStreamCaptureUnsupported);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (emu_capture_break(emu_stream(stream))) return emu_fail(cudaErrorStreamCaptureUnsupported);
  wait();
  emu_log_wait("cudaStreamSynchronize", stream);
  return emu_clock_finish(emu_stream_clock(emu_stream(stream))) ? cudaSuccess
                                                                : emu_fail(cudaErrorUnknown);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  (void)flags;
  if (event == NULL) return emu_fail(cudaErrorInvalidResourceHandle);
  emu_stream_wait(emu_stream(stream), (const EmuEvent*)event);
  return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned int flags) {
  (void)flags;
  callback(stream, cudaSuccess, data);
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  emu_work(stream);
  // In a capture the function would run at each launch of the graph, not now.
  if (emu_capture_of(emu_stream(stream), NULL) == NULL) function(data);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  (void)flags;
  *event = (cudaEvent_t)emu_event_create();
  return *event != NULL ? cudaSuccess : emu_fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (event == NULL) return emu_fail(cudaErrorInvalidResourceHandle);
  emu_event_destroy((EmuEvent*)event);
  return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  (void)flags;
  if (event == NULL) return emu_fail(cudaErrorInvalidResourceHandle);
  emu_event_record((EmuEvent*)event, emu_stream(stream));
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return event != NULL ? cudaSuccess : emu_fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  wait();
  if (event != NULL && ((EmuEvent*)event)->recorded) emu_log_wait("cudaEventSynchronize", event);
  if (event != NULL && !emu_clock_finish(&((const EmuEvent*)event)->clock))
    return emu_fail(cudaErrorUnknown);
  return cudaEventQuery(event);
}

// An emulated device has no clock of its own. One millisecond, always: programs divide by it.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (start == NULL || end == NULL || !((EmuEvent*)start)->recorded ||
      !((EmuEvent*)end)->recorded) {
    return emu_fail(cudaErrorInvalidResourceHandle);
  }
  *milliseconds = 1;
  return cudaSuccess;
}

#if CUDART_VERSION < 13000
cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}
#endif
