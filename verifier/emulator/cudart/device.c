// Devices: how many, which is current, what they are.
#include <cuda.h>
#include <stdio.h>
#include <string.h>

#include "verifier/emulator/cudart/runtime.h"
#include "verifier/emulator/device/attributes.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/report.h"
#include "verifier/emulator/device/stream.h"

cudaError_t emu_check_device(int device) {
  const int count = emu_device_count();
  if (count == 0) return cudaErrorNoDevice;
  return device >= 0 && device < count ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaGetDeviceCount(int* count) {
  emu_log_prepare();
  *count = emu_device_count();
  return *count > 0 ? cudaSuccess : emu_fail(cudaErrorNoDevice);
}

cudaError_t cudaGetDevice(int* device) {
  *device = emu_current_device();
  return emu_device_count() > 0 ? cudaSuccess : emu_fail(cudaErrorNoDevice);
}

cudaError_t cudaSetDevice(int device) {
  const cudaError_t error = emu_check_device(device);
  if (error == cudaSuccess) {
    emu_set_current_device(device);
    emu_device_use(device);
  }
  return emu_fail(error);
}

cudaError_t cudaInitDevice(int device, unsigned int flags, unsigned int more) {
  (void)flags, (void)more;
  return emu_fail(emu_check_device(device));
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attribute, int device) {
  const cudaError_t error = emu_check_device(device);
  if (error == cudaSuccess) emu_attribute((int)attribute, device, value);
  return emu_fail(error);
}

static int attribute(int which, int device) {
  int value = 0;
  emu_attribute(which, device, &value);
  return value;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp* properties, int device) {
  const cudaError_t error = emu_check_device(device);
  if (error != cudaSuccess) return emu_fail(error);
  const EmuProfile* profile = emu_profile();
  memset(properties, 0, sizeof *properties);
  snprintf(properties->name, sizeof properties->name, "%s", profile->vendor_name);
  snprintf(properties->uuid.bytes, sizeof properties->uuid.bytes, "forerun-gpu-%02d", device);
  properties->totalGlobalMem = (size_t)profile->total_memory_bytes;
  properties->sharedMemPerBlock =
      (size_t)attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, device);
  properties->sharedMemPerBlockOptin = (size_t)profile->shared_memory_per_block_optin_bytes;
  properties->sharedMemPerMultiprocessor = (size_t)profile->shared_memory_per_multiprocessor_bytes;
  properties->reservedSharedMemPerBlock =
      (size_t)attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, device);
  properties->regsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, device);
  properties->regsPerMultiprocessor =
      attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, device);
  properties->warpSize = attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
  properties->memPitch = (size_t)attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH, device);
  properties->maxThreadsPerBlock = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device);
  properties->maxThreadsPerMultiProcessor = profile->max_threads_per_multiprocessor;
  properties->maxBlocksPerMultiProcessor = profile->max_blocks_per_multiprocessor;
  for (int axis = 0; axis < 3; ++axis) {
    properties->maxThreadsDim[axis] = attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + axis, device);
    properties->maxGridSize[axis] = attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + axis, device);
  }
  properties->totalConstMem = (size_t)attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, device);
  properties->major = profile->compute_major;
  properties->minor = profile->compute_minor;
  properties->multiProcessorCount = profile->multiprocessors;
  properties->l2CacheSize = (int)profile->l2_cache_bytes;
  properties->textureAlignment = (size_t)attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, device);
  properties->texturePitchAlignment =
      (size_t)attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, device);
  properties->asyncEngineCount = attribute(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, device);
  properties->concurrentKernels = 1;
  properties->canMapHostMemory = 1;
  properties->unifiedAddressing = 1;
  properties->managedMemory = 1;
  properties->streamPrioritiesSupported = 1;
  properties->cooperativeLaunch = 1;
  properties->memoryPoolsSupported = 1;
  properties->hostRegisterSupported = 1;
  properties->canUseHostPointerForRegisteredMem = 1;
  properties->clusterLaunch = attribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, device);
  properties->pciBusID = attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  const cudaError_t error = emu_check_device(device);
  if (error != cudaSuccess) return emu_fail(error);
  const int needed = snprintf(text, (size_t)length, "0000:%02X:00.0",
                              attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device));
  return needed < length ? cudaSuccess : emu_fail(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize(void) {
  if (emu_wait_breaks_captures()) return emu_fail(cudaErrorStreamCaptureUnsupported);
  emu_add(&emu_report()->synchronisations, 1);
  emu_log_wait("cudaDeviceSynchronize", NULL);
  return emu_device_finish(emu_current_device()) ? cudaSuccess : emu_fail(cudaErrorUnknown);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != NULL) *least = 0;
  if (greatest != NULL) *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t* value, enum cudaLimit limit) {
  // The defaults of a fresh context: CUDA Runtime API, cudaDeviceGetLimit.
  switch (limit) {
    case cudaLimitStackSize: *value = 1024; return cudaSuccess;
    case cudaLimitPrintfFifoSize: *value = 1 << 20; return cudaSuccess;
    case cudaLimitMallocHeapSize: *value = 8 << 20; return cudaSuccess;
    default: *value = 0; return emu_fail(cudaErrorNotSupported);
  }
}

// Emulated GPUs of one machine reach each other, as those of one server do.
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  cudaError_t error = emu_check_device(device);
  if (error == cudaSuccess) error = emu_check_device(peer);
  *can = error == cudaSuccess && device != peer;
  return emu_fail(error);
}

static unsigned peers_enabled[EMU_MAX_DEVICES];

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  const cudaError_t error = emu_check_device(peer);
  if (error != cudaSuccess || flags != 0)
    return emu_fail(error != cudaSuccess ? error : cudaErrorInvalidValue);
  const unsigned bit = 1u << peer;
  const unsigned before =
      __atomic_fetch_or(&peers_enabled[emu_current_device()], bit, __ATOMIC_RELAXED);
  return before & bit ? emu_fail(cudaErrorPeerAccessAlreadyEnabled) : cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  const cudaError_t error = emu_check_device(peer);
  if (error != cudaSuccess) return emu_fail(error);
  const unsigned bit = 1u << peer;
  const unsigned before =
      __atomic_fetch_and(&peers_enabled[emu_current_device()], ~bit, __ATOMIC_RELAXED);
  return before & bit ? cudaSuccess : emu_fail(cudaErrorPeerAccessNotEnabled);
}
