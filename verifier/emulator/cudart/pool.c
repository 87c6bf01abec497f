// Stream-ordered allocation.
#include "verifier/emulator/device/pool.h"

#include <string.h>

#include "verifier/emulator/cudart/runtime.h"
#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/stream.h"

static cudaError_t from_result(int result) {
  if (result == EMU_OK) return cudaSuccess;
  return emu_fail(result == EMU_OUT_OF_MEMORY ? cudaErrorMemoryAllocation : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  *pool = (cudaMemPool_t)emu_default_pool(device);
  return *pool != NULL ? cudaSuccess : emu_fail(emu_check_device(device));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  *pool = (cudaMemPool_t)emu_current_pool(device);
  return *pool != NULL ? cudaSuccess : emu_fail(emu_check_device(device));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  const cudaError_t error = emu_check_device(device);
  if (error != cudaSuccess || pool == NULL)
    return emu_fail(error != cudaSuccess ? error : cudaErrorInvalidValue);
  emu_set_current_pool(device, (EmuPool*)pool);
  return cudaSuccess;
}

// Of the device's own memory, and not to be shared with another process.
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const struct cudaMemPoolProps* properties) {
  *pool = NULL;
  if (properties->location.type != cudaMemLocationTypeDevice ||
      properties->handleTypes != cudaMemHandleTypeNone)
    return emu_fail(cudaErrorNotSupported);
  const cudaError_t error = emu_check_device(properties->location.id);
  if (error != cudaSuccess) return emu_fail(error);
  *pool = (cudaMemPool_t)emu_pool_create(properties->location.id);
  return *pool != NULL ? cudaSuccess : emu_fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  if (pool == NULL) return emu_fail(cudaErrorInvalidValue);
  emu_pool_destroy((EmuPool*)pool);
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  if (pool == NULL) return emu_fail(cudaErrorInvalidValue);
  emu_arena_trim(&((EmuPool*)pool)->arena, keep);
  return cudaSuccess;
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  emu_work(stream);
  *pointer = NULL;
  if (pool == NULL) return emu_fail(cudaErrorInvalidValue);
  if (bytes == 0) return cudaSuccess;
  uint64_t address = 0;
  const cudaError_t error = from_result(emu_pool_allocate((EmuPool*)pool, bytes, &address));
  *pointer = (void*)(uintptr_t)address;
  return error;
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  const EmuStream* own = emu_stream(stream);
  EmuPool* pool = emu_current_pool(own == NULL ? emu_current_device() : own->device);
  return cudaMallocFromPoolAsync(pointer, bytes, (cudaMemPool_t)pool, stream);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  emu_work(stream);
  return pointer == NULL ? cudaSuccess : from_result(emu_pool_free((uint64_t)(uintptr_t)pointer));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute,
                                    void* value) {
  if (handle == NULL || value == NULL) return emu_fail(cudaErrorInvalidValue);
  EmuArena* arena = &((EmuPool*)handle)->arena;
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      memcpy(&arena->keep_bytes, value, sizeof(uint64_t));
      return cudaSuccess;
    // The high marks take no other value than zero: they start again at what is current.
    case cudaMemPoolAttrUsedMemHigh: arena->used_high = arena->used; return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh: arena->reserved_high = arena->reserved; return cudaSuccess;
    default: return cudaSuccess;  // reuse policies: a part is free as soon as it is freed
  }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute,
                                    void* value) {
  if (handle == NULL || value == NULL) return emu_fail(cudaErrorInvalidValue);
  const EmuArena* arena = &((EmuPool*)handle)->arena;
  const uint64_t* found = NULL;
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold: found = &arena->keep_bytes; break;
    case cudaMemPoolAttrUsedMemCurrent: found = &arena->used; break;
    case cudaMemPoolAttrReservedMemCurrent: found = &arena->reserved; break;
    case cudaMemPoolAttrUsedMemHigh: found = &arena->used_high; break;
    case cudaMemPoolAttrReservedMemHigh: found = &arena->reserved_high; break;
    default: *(int*)value = 1; return cudaSuccess;  // reuse policies are on unless set otherwise
  }
  memcpy(value, found, sizeof *found);
  return cudaSuccess;
}
