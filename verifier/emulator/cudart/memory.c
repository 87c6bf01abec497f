// Allocation: device, pinned and managed memory.
#include "verifier/emulator/device/memory.h"

#include <string.h>

#include "verifier/emulator/cudart/runtime.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/stream.h"

static cudaError_t from_result(int result, cudaError_t invalid) {
  if (result == EMU_OK) return cudaSuccess;
  return emu_fail(result == EMU_OUT_OF_MEMORY ? cudaErrorMemoryAllocation : invalid);
}

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  if (pointer == NULL) return emu_fail(cudaErrorInvalidValue);
  *pointer = NULL;
  const cudaError_t error = emu_check_device(emu_current_device());
  if (error != cudaSuccess) return emu_fail(error);
  if (bytes == 0) return cudaSuccess;
  uint64_t address = 0;
  const int result = emu_device_allocate(emu_current_device(), bytes, EMU_ALLOCATION, &address);
  *pointer = (void*)(uintptr_t)address;
  return from_result(result, cudaErrorInvalidValue);
}

cudaError_t cudaFree(void* pointer) {
  if (pointer == NULL) {  // the customary way to make a context
    emu_device_use(emu_current_device());
    return cudaSuccess;
  }
  switch (emu_place(pointer).kind) {
    case EMU_MANAGED:
      return from_result(emu_host_free(pointer, EMU_MANAGED), cudaErrorInvalidValue);
    case EMU_ASYNC:
      return from_result(emu_device_free((uint64_t)(uintptr_t)pointer, EMU_ASYNC),
                         cudaErrorInvalidValue);
    default:
      emu_log_wait_if_busy("cudaFree");
      return from_result(emu_device_free((uint64_t)(uintptr_t)pointer, EMU_ALLOCATION),
                         cudaErrorInvalidValue);
  }
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  const cudaError_t error = emu_check_device(emu_current_device());
  if (error != cudaSuccess) return emu_fail(error);
  uint64_t left = 0, total = 0;
  emu_device_info(emu_current_device(), &left, &total);
  if (free_bytes != NULL) *free_bytes = left;
  if (total_bytes != NULL) *total_bytes = total;
  return cudaSuccess;
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  (void)flags;
  return from_result(emu_host_allocate(bytes, EMU_PINNED, emu_current_device(), pointer),
                     cudaErrorInvalidValue);
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, 0);
}

cudaError_t cudaFreeHost(void* pointer) {
  if (pointer == NULL) return cudaSuccess;
  return from_result(emu_host_free(pointer, EMU_PINNED), cudaErrorInvalidValue);
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned int flags) {
  (void)flags;
  return from_result(emu_host_register(pointer, bytes, emu_current_device()),
                     cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void* pointer) {
  return from_result(emu_host_unregister(pointer), cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* pointer, unsigned int flags) {
  (void)flags;
  *device_pointer = pointer;  // unified addressing: the same pointer on both sides
  return emu_place(pointer).kind == EMU_NOWHERE ? emu_fail(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int* flags, void* pointer) {
  *flags = 0;
  return emu_place(pointer).kind == EMU_PINNED ? cudaSuccess : emu_fail(cudaErrorInvalidValue);
}

// Managed memory is host memory that both sides may touch; it migrates on demand, so it is not
// counted on the device.
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned int flags) {
  (void)flags;
  if (bytes == 0) return emu_fail(cudaErrorInvalidValue);
  const int result = emu_host_allocate(bytes, EMU_MANAGED, emu_current_device(), pointer);
  if (result == EMU_OK) memset(*pointer, 0, bytes);
  return from_result(result, cudaErrorInvalidValue);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes* attributes,
                                     const void* pointer) {
  const EmuPlace place = emu_place(pointer);
  memset(attributes, 0, sizeof *attributes);
  attributes->device = place.device;
  switch (place.kind) {
    case EMU_NOWHERE:
      attributes->type = cudaMemoryTypeUnregistered;
      attributes->device = -2;  // cudaInvalidDeviceId, as CUDA answers for memory it does not know
      attributes->hostPointer = (void*)pointer;
      return cudaSuccess;
    case EMU_PINNED:
    case EMU_REGISTERED:
      attributes->type = cudaMemoryTypeHost;
      attributes->devicePointer = attributes->hostPointer = (void*)pointer;
      return cudaSuccess;
    case EMU_MANAGED:
      attributes->type = cudaMemoryTypeManaged;
      attributes->devicePointer = attributes->hostPointer = (void*)pointer;
      return cudaSuccess;
    default:
      attributes->type = cudaMemoryTypeDevice;
      attributes->devicePointer = (void*)pointer;
      return cudaSuccess;
  }
}
