// Kernels: registration, attributes, occupancy, launches. A launch is checked and counted; nothing
// runs but the few in device/computed.h.
#include <string.h>

#include "verifier/emulator/cudart/runtime.h"
#include "verifier/emulator/device/computed.h"
#include "verifier/emulator/device/kernels.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/occupancy.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/report.h"
#include "verifier/emulator/device/stream.h"

// --- What nvcc's generated code calls (crt/host_runtime.h)
// ---------------------------------------------------------

void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** module);
void __cudaUnregisterFatBinary(void** module);
char __cudaInitModule(void** module);
void __cudaRegisterFunction(void** module, const char* host, char* device_function,
                            const char* device_name, int thread_limit, void* tid, void* bid,
                            void* block, void* grid, int* warp_size);
void __cudaRegisterVar(void** module, char* host, char* device_address, const char* device_name,
                       int external, size_t bytes, int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     struct CUstream_st* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared_bytes, cudaStream_t stream);

void** __cudaRegisterFatBinary(void* wrapper) { return (void**)emu_module_register(wrapper); }
void __cudaRegisterFatBinaryEnd(void** module) { (void)module; }
void __cudaUnregisterFatBinary(void** module) { emu_module_unregister((EmuModule*)module); }
char __cudaInitModule(void** module) { return module != NULL; }

void __cudaRegisterFunction(void** module, const char* host, char* device_function,
                            const char* device_name, int thread_limit, void* tid, void* bid,
                            void* block, void* grid, int* warp_size) {
  (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid,
      (void)warp_size;
  emu_kernel_register((EmuModule*)module, host, device_name);
}

void __cudaRegisterVar(void** module, char* host, char* device_address, const char* device_name,
                       int external, size_t bytes, int constant, int global) {
  (void)device_address, (void)external, (void)constant, (void)global;
  emu_variable_register((EmuModule*)module, host, device_name, bytes);
}

// <<<...>>> pushes the configuration, the kernel's host stub pops it.
enum { MAX_NESTED = 16 };
static __thread struct {
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;
} configurations[MAX_NESTED];
static __thread int depth;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                                     struct CUstream_st* stream) {
  if (depth == MAX_NESTED) return cudaErrorInvalidConfiguration;
  configurations[depth].grid = grid;
  configurations[depth].block = block;
  configurations[depth].shared_bytes = shared_bytes;
  configurations[depth].stream = stream;
  ++depth;
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes,
                                       void* stream) {
  if (depth == 0) return emu_fail(cudaErrorInvalidConfiguration);
  --depth;
  *grid = configurations[depth].grid;
  *block = configurations[depth].block;
  *shared_bytes = configurations[depth].shared_bytes;
  *(cudaStream_t*)stream = configurations[depth].stream;
  return cudaSuccess;
}

// A kernel handle is the address of the host function.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  *kernel = (cudaKernel_t)(uintptr_t)host;
  return cudaSuccess;
}

// --- Launches
// -------------------------------------------------------------------------------------------------------

static int within(unsigned x, unsigned y, unsigned z, unsigned max_x, unsigned max_yz,
                  unsigned max_z) {
  return x >= 1 && y >= 1 && z >= 1 && x <= max_x && y <= max_yz && z <= max_z;
}

// A program built for other GPUs than this one fails here, as it would there.
static cudaError_t no_code(void) {
  static int said;
  if (__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED) == 0) {
    emu_say("the program's kernels are not built for an emulated %s (compute capability %d.%d)",
            emu_profile()->name, emu_profile()->compute_major, emu_profile()->compute_minor);
  }
  return emu_fail(cudaErrorNoKernelImageForDevice);
}

static cudaError_t launch(const void* kernel, dim3 grid, dim3 block, void** arguments,
                          size_t shared_bytes, cudaStream_t stream) {
  const EmuProfile* profile = emu_profile();
  if (profile == NULL) return emu_fail(cudaErrorNoDevice);
  const EmuKernel known = emu_kernel(kernel);
  if (known.architecture == 0) return no_code();
  const int fits = within(grid.x, grid.y, grid.z, 2147483647u, 65535, 65535) &&
                   within(block.x, block.y, block.z, 1024, 1024, 64) &&
                   (uint64_t)block.x * block.y * block.z <= 1024;
  if (!fits) return emu_fail(cudaErrorInvalidConfiguration);
  if (shared_bytes > (size_t)profile->shared_memory_per_block_optin_bytes)
    return emu_fail(cudaErrorInvalidValue);
  emu_work(stream);
  emu_add(&emu_report()->launches, 1);
  emu_log_launch(known.name, (uint64_t)grid.x * grid.y * grid.z,
                 (uint64_t)block.x * block.y * block.z, stream);
  if (emu_capture_of(emu_stream(stream), NULL) == NULL) emu_compute(known.name, grid.x, arguments);
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared_bytes, cudaStream_t stream) {
  return launch((const void*)kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  return launch((const void*)kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
  return launch((const void*)kernel, grid, block, arguments, shared_bytes, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* kernel,
                                void** arguments) {
  return launch(kernel, configuration->gridDim, configuration->blockDim, arguments,
                configuration->dynamicSmemBytes, configuration->stream);
}

// --- What a kernel is
// -----------------------------------------------------------------------------------------------

// Registers and static shared memory are in the machine code and not read from it: 32 registers and
// none, so that nothing but threads, blocks and dynamic shared memory limits a kernel.
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes* attributes, const void* function) {
  const EmuProfile* profile = emu_profile();
  if (profile == NULL) return emu_fail(cudaErrorNoDevice);
  const EmuKernel kernel = emu_kernel(function);
  if (kernel.architecture == 0) return no_code();
  memset(attributes, 0, sizeof *attributes);
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->binaryVersion = kernel.architecture;
  attributes->ptxVersion = kernel.architecture;
  attributes->maxDynamicSharedSizeBytes = (int)profile->shared_memory_per_block_optin_bytes;
  return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  *name = emu_kernel(function).name;
  return *name != NULL ? cudaSuccess : emu_fail(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaFuncSetAttribute(const void* function, enum cudaFuncAttribute attribute,
                                 int value) {
  (void)function;
  const EmuProfile* profile = emu_profile();
  if (profile == NULL) return emu_fail(cudaErrorNoDevice);
  const int too_much = attribute == cudaFuncAttributeMaxDynamicSharedMemorySize &&
                       value > profile->shared_memory_per_block_optin_bytes;
  return too_much ? emu_fail(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* blocks, const void* function, int block_size, size_t shared_bytes, unsigned int flags) {
  (void)function, (void)flags;
  if (emu_profile() == NULL) return emu_fail(cudaErrorNoDevice);
  if (block_size < 1 || block_size > 1024) return emu_fail(cudaErrorInvalidValue);
  *blocks = emu_blocks_per_multiprocessor(block_size, shared_bytes);
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int block_size, size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block_size,
                                                                shared_bytes, 0);
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* configuration) {
  const dim3 block = configuration->blockDim;
  int blocks = 0;
  const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, function, (int)(block.x * block.y * block.z), configuration->dynamicSmemBytes);
  if (error != cudaSuccess) return error;
  unsigned size = 1;
  for (unsigned i = 0; i < configuration->numAttrs; ++i) {
    if (configuration->attrs[i].id != cudaLaunchAttributeClusterDimension) continue;
    const cudaLaunchAttributeValue* value = &configuration->attrs[i].val;
    size = value->clusterDim.x * value->clusterDim.y * value->clusterDim.z;
  }
  *clusters = size == 0 ? 0 : emu_profile()->multiprocessors * blocks / (int)size;
  return cudaSuccess;
}
