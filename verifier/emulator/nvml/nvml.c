// NVML: which devices there are and how much of their memory this process holds, for PyTorch's
// device count and the text of its OutOfMemoryError.
#include "verifier/emulator/nvml/nvml.h"

#include <cuda.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verifier/emulator/device/attributes.h"
#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/report.h"

struct nvmlDevice {
  char unused;
};
static struct nvmlDevice devices[EMU_MAX_DEVICES];

static int ordinal(nvmlDevice_t device) { return (int)(device - devices); }

nvmlReturn_t nvmlInit_v2(void) {
  return emu_profile() != NULL ? NVML_SUCCESS : NVML_ERROR_DRIVER_NOT_LOADED;
}
nvmlReturn_t nvmlInit(void) { return nvmlInit_v2(); }
nvmlReturn_t nvmlShutdown(void) { return NVML_SUCCESS; }

const char* nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS: return "Success";
    case NVML_ERROR_NOT_SUPPORTED: return "Not Supported";
    case NVML_ERROR_NOT_FOUND: return "Not Found";
    case NVML_ERROR_DRIVER_NOT_LOADED: return "Driver Not Loaded";
    default: return "Unknown Error";
  }
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = CUDA_VERSION;
  return NVML_SUCCESS;
}

// NVML sees every device, whatever CUDA_VISIBLE_DEVICES hides.
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int* count) {
  const EmuProfile* profile = emu_profile();
  *count = profile == NULL ? 0 : (unsigned int)profile->devices;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t* device) {
  unsigned int count = 0;
  nvmlDeviceGetCount_v2(&count);
  if (index >= count) return NVML_ERROR_INVALID_ARGUMENT;
  *device = &devices[index];
  return NVML_SUCCESS;
}

// "0000:01:00.0", or with eight digits of domain: the bus says which device it is.
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, nvmlDevice_t* device) {
  unsigned int domain = 0, bus = 0;
  if (sscanf(bus_id, "%x:%x:", &domain, &bus) != 2) return NVML_ERROR_INVALID_ARGUMENT;
  for (unsigned int i = 0; nvmlDeviceGetHandleByIndex_v2(i, device) == NVML_SUCCESS; ++i) {
    int own = 0;
    emu_attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, (int)i, &own);
    if (own == (int)bus) return NVML_SUCCESS;
  }
  return NVML_ERROR_NOT_FOUND;
}

// The bytes of "forerun-gpu-00", as cudaGetDeviceProperties gives them, the way NVML writes them.
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned int bytes) {
  char raw[16] = {0};
  snprintf(raw, sizeof raw, "forerun-gpu-%02d", ordinal(device) % 100);
  char text[48] = "GPU-";
  size_t at = strlen(text);
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text[at++] = '-';
    at += (size_t)snprintf(text + at, sizeof text - at, "%02x", (unsigned char)raw[i]);
  }
  if (at + 1 > bytes) return NVML_ERROR_INSUFFICIENT_SIZE;
  memcpy(uuid, text, at + 1);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  char own[48];
  for (unsigned int i = 0; nvmlDeviceGetHandleByIndex_v2(i, device) == NVML_SUCCESS; ++i) {
    if (nvmlDeviceGetUUID(*device, own, sizeof own) == NVML_SUCCESS && strcmp(own, uuid) == 0)
      return NVML_SUCCESS;
  }
  return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned int bytes) {
  (void)device;
  return snprintf(name, bytes, "%s", emu_profile()->vendor_name) < (int)bytes
             ? NVML_SUCCESS
             : NVML_ERROR_INSUFFICIENT_SIZE;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  uint64_t left = 0, total = 0;
  emu_device_info(ordinal(device), &left, &total);
  *memory = (nvmlMemory_t){total, left, total - left};
  return NVML_SUCCESS;
}

// This process is the only one the emulated device knows of.
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned int* count,
                                                  nvmlProcessInfo_v1_t* processes) {
  if (*count < 1) {
    *count = 1;
    return NVML_ERROR_INSUFFICIENT_SIZE;
  }
  nvmlMemory_t memory;
  nvmlDeviceGetMemoryInfo(device, &memory);
  processes[0] = (nvmlProcessInfo_v1_t){(unsigned int)getpid(), memory.used};
  *count = 1;
  return NVML_SUCCESS;
}
