// Modules and kernels loaded at run time: what NVRTC and Triton make. A function is its name;
// nothing runs.
#include <stdlib.h>
#include <string.h>

#include "verifier/emulator/cuda/driver.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/occupancy.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/report.h"
#include "verifier/emulator/device/stream.h"

struct CUfunc_st {
  struct CUfunc_st* next;
  char name[];
};

struct CUmod_st {
  struct CUfunc_st* functions;
};

static CUresult load(CUmodule* module) {
  if (emu_device_count() == 0) return CUDA_ERROR_NO_DEVICE;
  *module = calloc(1, sizeof **module);
  return *module != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  (void)image;
  return load(module);
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count,
                            CUjit_option* options, void** values) {
  (void)image, (void)count, (void)options, (void)values;
  return load(module);
}

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  (void)path;
  return load(module);
}

CUresult cuModuleUnload(CUmodule module) {
  for (CUfunction function = module->functions; function != NULL;) {
    CUfunction next = function->next;
    free(function);
    function = next;
  }
  free(module);
  return CUDA_SUCCESS;
}

// Each call makes a function; they go with the module.
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const size_t bytes = strlen(name) + 1;
  CUfunction made = malloc(sizeof *made + bytes);
  if (made == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
  memcpy(made->name, name, bytes);
  made->next = __atomic_load_n(&module->functions, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&module->functions, &made->next, made, 1, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED)) {
  }
  *function = made;
  return CUDA_SUCCESS;
}

// As in cudart/launch.c: registers and static shared memory are not read from the code.
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  (void)function;
  const EmuProfile* profile = emu_profile();
  if (profile == NULL) return CUDA_ERROR_NO_DEVICE;
  const int architecture = profile->compute_major * 10 + profile->compute_minor;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = 32; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = architecture; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = (int)profile->shared_memory_per_block_optin_bytes;
      break;
    default: *value = 0;
  }
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function,
                                                     int block_size, size_t shared_bytes) {
  (void)function;
  *blocks = emu_blocks_per_multiprocessor(block_size, shared_bytes);
  return CUDA_SUCCESS;
}

static CUresult launch(CUfunction function, uint64_t blocks, unsigned int threads,
                       CUstream stream) {
  if (blocks == 0 || threads == 0 || threads > 1024) return CUDA_ERROR_INVALID_VALUE;
  emu_work(stream);
  emu_add(&emu_report()->launches, 1);
  emu_log_launch(function->name, blocks, threads, stream);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                        unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                        unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                        void** parameters, void** extra) {
  (void)shared_bytes, (void)parameters, (void)extra;
  return launch(function, (uint64_t)grid_x * grid_y * grid_z, block_x * block_y * block_z, stream);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y,
                                   unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                                   unsigned int block_z, unsigned int shared_bytes, CUstream stream,
                                   void** parameters) {
  return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes,
                        stream, parameters, NULL);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* configuration, CUfunction function,
                          void** parameters, void** extra) {
  return cuLaunchKernel(function, configuration->gridDimX, configuration->gridDimY,
                        configuration->gridDimZ, configuration->blockDimX, configuration->blockDimY,
                        configuration->blockDimZ, configuration->sharedMemBytes,
                        configuration->hStream, parameters, extra);
}

// The linker's output is only ever given to cuModuleLoadData.
static char linked[64];

CUresult cuLinkCreate_v2(unsigned int count, CUjit_option* options, void** values,
                         CUlinkState* state) {
  (void)count, (void)options, (void)values;
  *state = (CUlinkState)linked;
  return CUDA_SUCCESS;
}

CUresult cuLinkComplete(CUlinkState state, void** image, size_t* bytes) {
  (void)state;
  *image = linked;
  *bytes = sizeof linked;
  return CUDA_SUCCESS;
}

// A tensor map is passed to kernels by value and read by hardware only.
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* sizes, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* element_strides,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  (void)type, (void)rank, (void)address, (void)sizes, (void)strides, (void)box,
      (void)element_strides;
  (void)interleave, (void)swizzle, (void)promotion, (void)fill;
  memset(map, 0, sizeof *map);
  return CUDA_SUCCESS;
}
