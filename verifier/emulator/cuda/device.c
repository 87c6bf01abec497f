// Devices and contexts. Each device has its primary context and no other; the current one is the
// thread's device.
#include <stdio.h>
#include <string.h>

#include "verifier/emulator/cuda/driver.h"
#include "verifier/emulator/device/attributes.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/report.h"
#include "verifier/emulator/device/stream.h"

CUresult emu_driver_check(CUdevice device) {
  const int count = emu_device_count();
  if (count == 0) return CUDA_ERROR_NO_DEVICE;
  return device >= 0 && device < count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return emu_driver_check(ordinal);
}

CUresult cuDeviceGetCount(int* count) {
  *count = emu_device_count();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
  const CUresult error = emu_driver_check(device);
  if (error == CUDA_SUCCESS) snprintf(name, (size_t)bytes, "%s", emu_profile()->vendor_name);
  return error;
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  memset(uuid, 0, sizeof *uuid);
  snprintf(uuid->bytes, sizeof uuid->bytes, "forerun-gpu-%02d",
           device);  // as cudaGetDeviceProperties
  return emu_driver_check(device);
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  const CUresult error = emu_driver_check(device);
  if (error == CUDA_SUCCESS) *bytes = (size_t)emu_profile()->total_memory_bytes;
  return error;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  const CUresult error = emu_driver_check(device);
  if (error == CUDA_SUCCESS) emu_attribute((int)attribute, device, value);
  return error;
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  CUresult error = emu_driver_check(device);
  if (error == CUDA_SUCCESS) error = emu_driver_check(peer);
  *can = error == CUDA_SUCCESS && device != peer;
  return error;
}

// A context is known by the address of its entry.
struct CUctx_st {
  char unused;
};
static struct CUctx_st contexts[EMU_MAX_DEVICES];

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  const CUresult error = emu_driver_check(device);
  if (error != CUDA_SUCCESS) return error;
  emu_device_use(device);
  *context = &contexts[device];
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  const CUresult error = emu_driver_check(device);
  *flags = 0;
  *active = error == CUDA_SUCCESS && emu_device_is_used(device);
  return error;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  if (emu_device_count() == 0) return CUDA_ERROR_NOT_INITIALIZED;
  const int device = emu_current_device();
  *context = emu_device_is_used(device) ? &contexts[device] : NULL;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (context == NULL) return CUDA_SUCCESS;
  if (context < contexts || context >= contexts + EMU_MAX_DEVICES)
    return CUDA_ERROR_INVALID_CONTEXT;
  emu_set_current_device((int)(context - contexts));
  return CUDA_SUCCESS;
}

static __thread CUcontext pushed[16];
static __thread int depth;

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (depth == 16) return CUDA_ERROR_OUT_OF_MEMORY;
  pushed[depth++] = &contexts[emu_current_device()];
  return cuCtxSetCurrent(context);
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  if (context != NULL) *context = &contexts[emu_current_device()];
  return depth == 0 ? CUDA_ERROR_INVALID_CONTEXT : cuCtxSetCurrent(pushed[--depth]);
}

CUresult cuCtxGetDevice(CUdevice* device) {
  *device = emu_current_device();
  return emu_driver_check(*device);
}

CUresult cuCtxSynchronize(void) {
  emu_add(&emu_report()->synchronisations, 1);
  emu_log_wait("cuCtxSynchronize", NULL);
  return emu_device_finish(emu_current_device()) ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (least != NULL) *least = 0;
  if (greatest != NULL) *greatest = -5;
  return CUDA_SUCCESS;
}
