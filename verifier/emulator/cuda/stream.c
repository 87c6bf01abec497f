// Streams and events of the driver API; the objects are the runtime's.
#include "verifier/emulator/device/stream.h"

#include "verifier/emulator/cuda/driver.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/report.h"

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int priority) {
  *stream = (CUstream)emu_stream_create(flags, priority);
  return *stream != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  if (emu_stream(stream) == NULL) return CUDA_ERROR_INVALID_HANDLE;
  emu_stream_destroy(emu_stream(stream));
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
  emu_add(&emu_report()->synchronisations, 1);
  emu_log_wait("cuStreamSynchronize", stream);
  return emu_clock_finish(emu_stream_clock(emu_stream(stream))) ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  const int active = emu_capture_of(emu_stream(stream), NULL) != NULL;
  *status = active ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  const EmuStream* own = emu_stream(stream);
  return cuDevicePrimaryCtxRetain(context, own == NULL ? emu_current_device() : own->device);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  (void)flags;
  if (event == NULL) return CUDA_ERROR_INVALID_HANDLE;
  emu_stream_wait(emu_stream(stream), (const EmuEvent*)event);
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  (void)flags;
  *event = (CUevent)emu_event_create();
  return *event != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuEventDestroy_v2(CUevent event) {
  emu_event_destroy((EmuEvent*)event);
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  if (event == NULL) return CUDA_ERROR_INVALID_HANDLE;
  emu_event_record((EmuEvent*)event, emu_stream(stream));
  return CUDA_SUCCESS;
}
