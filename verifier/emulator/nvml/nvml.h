// The few functions of NVIDIA's management library that PyTorch and its C++ allocator look up,
// declared from NVML's public API reference: no wheel carries its header.
#pragma once

typedef int nvmlReturn_t;
typedef struct nvmlDevice* nvmlDevice_t;
enum {
  NVML_SUCCESS = 0,
  NVML_ERROR_INVALID_ARGUMENT = 2,
  NVML_ERROR_NOT_SUPPORTED = 3,
  NVML_ERROR_NOT_FOUND = 6,
  NVML_ERROR_INSUFFICIENT_SIZE = 7,
  NVML_ERROR_DRIVER_NOT_LOADED = 9
};

typedef struct {
  unsigned long long total, free, used;
} nvmlMemory_t;

typedef struct {
  unsigned int pid;
  unsigned long long usedGpuMemory;
} nvmlProcessInfo_v1_t;

#define NVMLAPI nvmlReturn_t
NVMLAPI nvmlInit(void);
NVMLAPI nvmlInit_v2(void);
NVMLAPI nvmlShutdown(void);
const char* nvmlErrorString(nvmlReturn_t result);
NVMLAPI nvmlSystemGetCudaDriverVersion_v2(int* version);
NVMLAPI nvmlDeviceGetCount_v2(unsigned int* count);
NVMLAPI nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t* device);
NVMLAPI nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, nvmlDevice_t* device);
NVMLAPI nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device);
NVMLAPI nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned int bytes);
NVMLAPI nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned int bytes);
NVMLAPI nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory);
NVMLAPI nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned int* count,
                                             nvmlProcessInfo_v1_t* processes);
