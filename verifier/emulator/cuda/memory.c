// Memory of the driver API: allocations, information, copies and fills.
#include <string.h>

#include "verifier/emulator/cuda/driver.h"
#include "verifier/emulator/device/copy.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/stream.h"

static void* at(CUdeviceptr address) { return (void*)(uintptr_t)address; }

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  uint64_t found = 0;
  const int result = emu_device_allocate(emu_current_device(), bytes, EMU_ALLOCATION, &found);
  *address = found;
  return emu_driver_result(result);
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return emu_driver_result(emu_device_free(address, EMU_ALLOCATION));
}

CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
  uint64_t left = 0, total = 0;
  emu_device_info(emu_current_device(), &left, &total);
  *free_bytes = left;
  *total_bytes = total;
  return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* start, size_t* bytes, CUdeviceptr address) {
  const EmuPlace place = emu_place(at(address));
  if (place.kind == EMU_NOWHERE) return CUDA_ERROR_NOT_FOUND;
  if (start != NULL) *start = place.start;
  if (bytes != NULL) *bytes = place.size;
  return CUDA_SUCCESS;
}

static CUresult attribute_of(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  const EmuPlace place = emu_place(at(address));
  if (place.kind == EMU_NOWHERE) return CUDA_ERROR_INVALID_VALUE;
  const int on_host = place.kind == EMU_PINNED || place.kind == EMU_REGISTERED;
  CUcontext context = NULL;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      cuDevicePrimaryCtxRetain(&context, place.device);
      memcpy(data, &context, sizeof context);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *(unsigned*)data = on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      memcpy(data, &address, sizeof address);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *(unsigned*)data = place.kind == EMU_MANAGED;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int*)data = place.device; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      memcpy(data, &place.start, sizeof place.start);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      memcpy(data, &place.start, sizeof place.start);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      memcpy(data, &place.size, sizeof place.size);
      return CUDA_SUCCESS;
    default: return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  return attribute_of(data, attribute, address);
}

// Unlike its singular, it answers zero for memory it does not know.
CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr address) {
  for (unsigned int i = 0; i < count; ++i) {
    if (attribute_of(data[i], attributes[i], address) != CUDA_SUCCESS)
      memset(data[i], 0, sizeof(int));
  }
  return CUDA_SUCCESS;
}

static CUresult copy(const char* call, void* to, const void* from, size_t bytes, CUstream stream,
                     int waits) {
  emu_work(stream);
  emu_log_copy(call, to, from, bytes, stream, waits);
  emu_copy(to, from, bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy("cuMemcpy", at(to), at(from), bytes, NULL, 1);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy("cuMemcpyAsync", at(to), at(from), bytes, stream, 0);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return copy("cuMemcpyHtoD", at(to), from, bytes, NULL, 1);
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return copy("cuMemcpyDtoH", to, at(from), bytes, NULL, 1);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy("cuMemcpyDtoD", at(to), at(from), bytes, NULL, 1);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return copy("cuMemcpyHtoDAsync", at(to), from, bytes, stream, 0);
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy("cuMemcpyDtoHAsync", to, at(from), bytes, stream, 0);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy("cuMemcpyDtoDAsync", at(to), at(from), bytes, stream, 0);
}

static CUresult fill(CUdeviceptr address, const void* pattern, size_t pattern_bytes, size_t count,
                     CUstream stream) {
  emu_work(stream);
  emu_fill(at(address), pattern, pattern_bytes, pattern_bytes * count);
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8_v2(CUdeviceptr address, unsigned char value, size_t count) {
  return fill(address, &value, sizeof value, count, NULL);
}
CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t count, CUstream stream) {
  return fill(address, &value, sizeof value, count, stream);
}
CUresult cuMemsetD32_v2(CUdeviceptr address, unsigned int value, size_t count) {
  return fill(address, &value, sizeof value, count, NULL);
}
CUresult cuMemsetD32Async(CUdeviceptr address, unsigned int value, size_t count, CUstream stream) {
  return fill(address, &value, sizeof value, count, stream);
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value,
                                 unsigned int flags) {
  (void)flags;
  return fill(address, &value, sizeof value, 1, stream);
}

CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned int flags) {
  (void)flags;
  void* memory = NULL;
  const int result = emu_host_allocate(bytes, EMU_MANAGED, emu_current_device(), &memory);
  if (result == EMU_OK) memset(memory, 0, bytes);
  *address = (CUdeviceptr)(uintptr_t)memory;
  return emu_driver_result(result);
}

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned int flags) {
  (void)flags;
  return emu_driver_result(emu_host_allocate(bytes, EMU_PINNED, emu_current_device(), pointer));
}

CUresult cuMemFreeHost(void* pointer) {
  return emu_driver_result(emu_host_free(pointer, EMU_PINNED));
}
