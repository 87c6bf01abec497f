// Virtual memory management, which PyTorch's expandable segments use: addresses are reserved,
// memory is created and counted, and the two are joined. Memory lives until its handle is released
// and its last mapping is gone.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "verifier/emulator/cuda/driver.h"
#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/ranges.h"
#include "verifier/emulator/device/stream.h"

typedef struct {
  CUmemAllocationProp properties;
  uint64_t bytes;
  int references;  // the handle and each mapping
} Memory;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static EmuRanges mappings;  // tag: the Memory

static Memory* memory_of(CUmemGenericAllocationHandle handle) { return (Memory*)(uintptr_t)handle; }

// The lock is held.
static void release(Memory* memory) {
  if (--memory->references > 0) return;
  emu_device_refund(memory->properties.location.id, memory->bytes);
  free(memory);
}

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* properties,
                                       CUmemAllocationGranularity_flags option) {
  (void)properties, (void)option;
  *bytes = EMU_PAGE_BYTES;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment,
                             CUdeviceptr wanted, unsigned long long flags) {
  (void)alignment, (void)wanted, (void)flags;  // a wish; every address is page aligned
  if (bytes == 0 || bytes % EMU_PAGE_BYTES != 0) return CUDA_ERROR_INVALID_VALUE;
  uint64_t found = 0;
  const int result = emu_device_allocate(emu_current_device(), bytes, EMU_RESERVATION, &found);
  *address = found;
  return emu_driver_result(result);
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  (void)bytes;
  return emu_driver_result(emu_device_free(address, EMU_RESERVATION));
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long flags) {
  (void)flags;
  const int device = properties->location.id;
  if (bytes == 0 || bytes % EMU_PAGE_BYTES != 0) return CUDA_ERROR_INVALID_VALUE;
  if (emu_driver_check(device) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_DEVICE;
  // PyTorch asks for memory it could share by file descriptor, and never shares most of it;
  // exporting is refused. Fabric handles are offered by no emulated device (device/attributes.c).
  const int types = properties->requestedHandleTypes;
  if (types != CU_MEM_HANDLE_TYPE_NONE && types != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  const int result = emu_device_charge(device, bytes);
  if (result != EMU_OK) return emu_driver_result(result);
  Memory* memory = malloc(sizeof *memory);
  if (memory == NULL) {
    emu_device_refund(device, bytes);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *memory = (Memory){*properties, bytes, 1};
  *handle = (CUmemGenericAllocationHandle)(uintptr_t)memory;
  return CUDA_SUCCESS;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  if (handle == 0) return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&lock);
  release(memory_of(handle));
  pthread_mutex_unlock(&lock);
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  (void)flags;
  if (handle == 0 || bytes == 0 || offset + bytes > memory_of(handle)->bytes)
    return CUDA_ERROR_INVALID_VALUE;
  const EmuPlace place = emu_place((const void*)(uintptr_t)address);
  if (place.kind != EMU_RESERVATION || address + bytes > place.start + place.size)
    return CUDA_ERROR_INVALID_VALUE;
  pthread_mutex_lock(&lock);
  const EmuRange* before = emu_ranges_at_or_before(&mappings, address + bytes - 1);
  const int taken = before != NULL && before->start + before->size > address;
  EmuRange* mapping = taken ? NULL : emu_ranges_insert(&mappings, address, bytes);
  if (mapping != NULL) {
    mapping->tag = handle;
    ++memory_of(handle)->references;
  }
  pthread_mutex_unlock(&lock);
  return mapping != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  emu_contents_clear(address, bytes);
  int unmapped = 0;
  pthread_mutex_lock(&lock);
  for (;;) {
    const EmuRange* last = emu_ranges_at_or_before(&mappings, address + bytes - 1);
    if (last == NULL || last->start < address) break;
    Memory* memory = memory_of(last->tag);
    emu_ranges_erase(&mappings, last->start);
    release(memory);
    unmapped = 1;
  }
  pthread_mutex_unlock(&lock);
  return unmapped ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  pthread_mutex_lock(&lock);
  const EmuRange* mapping = emu_ranges_find(&mappings, (uint64_t)(uintptr_t)address);
  if (mapping != NULL) {
    *handle = mapping->tag;
    ++memory_of(mapping->tag)->references;
  }
  pthread_mutex_unlock(&lock);
  return mapping != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                CUmemGenericAllocationHandle handle) {
  if (handle == 0) return CUDA_ERROR_INVALID_VALUE;
  *properties = memory_of(handle)->properties;
  return CUDA_SUCCESS;
}
