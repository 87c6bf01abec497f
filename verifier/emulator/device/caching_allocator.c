// PyTorch's caching allocator tells its profiler of every block it hands out or takes back, through
// a function of libc10.so. A definition here, found first because this library is preloaded, hears
// the same: it lets the contents of a block end with the tensor that owned it, and gives the report
// PyTorch's own peaks.
//
// c10::reportMemoryUsageToProfiler(void* ptr, int64_t alloc_size, size_t total_allocated, size_t
// total_reserved, c10::Device device): c10/core/Allocator.h, unchanged from PyTorch 1.11 to 2.11;
// Device is two bytes, type and index, and CUDA is type 1 (c10/core/DeviceType.h).
// c10::reportOutOfMemoryToProfiler(int64_t alloc_size, size_t total_allocated, size_t
// total_reserved, c10::Device device) is called before OutOfMemoryError is raised.
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/report.h"

#define REPORT_MEMORY_USAGE _ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE
#define REPORT_OUT_OF_MEMORY _ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE
#define NAME_OF(symbol) NAME_OF_(symbol)
#define NAME_OF_(symbol) #symbol

enum { CUDA_DEVICE_TYPE = 1 };
typedef struct {
  int8_t type, index;
} C10Device;
typedef void ReportMemoryUsage(void*, int64_t, size_t, size_t, C10Device);
typedef void ReportOutOfMemory(int64_t, size_t, size_t, C10Device);

static ReportMemoryUsage* real;
static ReportOutOfMemory* real_out_of_memory;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Python loads libc10.so outside the global scope, so RTLD_NEXT would not find it.
static void find_real(void) {
  void* c10 = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
  if (c10 == NULL) return;
  real = (ReportMemoryUsage*)dlsym(c10, NAME_OF(REPORT_MEMORY_USAGE));
  real_out_of_memory = (ReportOutOfMemory*)dlsym(c10, NAME_OF(REPORT_OUT_OF_MEMORY));
}

ReportMemoryUsage REPORT_MEMORY_USAGE;
void REPORT_MEMORY_USAGE(void* block, int64_t change, size_t allocated, size_t reserved,
                         C10Device device) {
  if (device.type == CUDA_DEVICE_TYPE && device.index >= 0 && device.index < EMU_MAX_DEVICES) {
    EmuDeviceReport* noted = &emu_report()->devices[device.index];
    emu_raise(&noted->allocated_peak_bytes, allocated);
    emu_raise(&noted->reserved_peak_bytes, reserved);
    emu_log_block(device.index, (uint64_t)(uintptr_t)block, change, allocated, reserved);
    if (change > 0 && emu_is_device_address(block))
      emu_contents_clear((uint64_t)(uintptr_t)block, (uint64_t)change);
  }
  pthread_once(&once, find_real);
  if (real != NULL && real != REPORT_MEMORY_USAGE) real(block, change, allocated, reserved, device);
}

ReportOutOfMemory REPORT_OUT_OF_MEMORY;
void REPORT_OUT_OF_MEMORY(int64_t asked, size_t allocated, size_t reserved, C10Device device) {
  if (device.type == CUDA_DEVICE_TYPE && device.index >= 0 && device.index < EMU_MAX_DEVICES)
    emu_log_torch_out_of_memory(device.index, (uint64_t)asked, allocated, reserved);
  pthread_once(&once, find_real);
  if (real_out_of_memory != NULL && real_out_of_memory != REPORT_OUT_OF_MEMORY)
    real_out_of_memory(asked, allocated, reserved, device);
}
