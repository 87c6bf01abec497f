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
  return cudaDeviceGetDefaultMemPool(pool, device);
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
  EmuPool* pool = emu_default_pool(own == NULL ? emu_current_device() : own->device);
  return cudaMallocFromPoolAsync(pointer, bytes, (cudaMemPool_t)pool, stream);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  emu_work(stream);
  return pointer == NULL ? cudaSuccess : from_result(emu_pool_free((uint64_t)(uintptr_t)pointer));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute,
                                    void* value) {
  EmuPool* pool = (EmuPool*)handle;
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      memcpy(&pool->release_threshold, value, sizeof(uint64_t));
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
    case cudaMemPoolAttrReservedMemHigh: pool->used_high = pool->used; return cudaSuccess;
    default: return cudaSuccess;  // reuse policies: nothing is reused here
  }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute,
                                    void* value) {
  const EmuPool* pool = (const EmuPool*)handle;
  switch (attribute) {
    case cudaMemPoolAttrReleaseThreshold:
      memcpy(value, &pool->release_threshold, sizeof(uint64_t));
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemCurrent:
    case cudaMemPoolAttrReservedMemCurrent:
      memcpy(value, &pool->used, sizeof(uint64_t));
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
    case cudaMemPoolAttrReservedMemHigh:
      memcpy(value, &pool->used_high, sizeof(uint64_t));
      return cudaSuccess;
    default: memset(value, 0, sizeof(int)); return cudaSuccess;
  }
}
