// The way from the runtime to the driver: CUDA's own runtime, too, looks entry points up in
// libcuda.so.1 by name.
#include <dlfcn.h>
#include <pthread.h>

#include "verifier/emulator/cudart/runtime.h"

typedef int GetProcAddress(const char*, void**, int, unsigned long long, int*);
static GetProcAddress* get_proc_address;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_driver(void) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (driver != NULL) get_proc_address = (GetProcAddress*)dlsym(driver, "cuGetProcAddress_v2");
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function,
                                             unsigned int version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult* result) {
  pthread_once(&once, find_driver);
  int found = cudaDriverEntryPointSymbolNotFound;
  *function = NULL;
  if (get_proc_address != NULL) get_proc_address(name, function, (int)version, flags, &found);
  if (result != NULL) *result = (enum cudaDriverEntryPointQueryResult)found;
  // A name that is not there is an answer, not a failure, when the caller asked for the result.
  return *function != NULL || result != NULL ? cudaSuccess : emu_fail(cudaErrorSymbolNotFound);
}

// Asked for by binaries built against CUDA 12.4 and before; CUDA 13's headers no longer declare it.
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult* result);
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult* result) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, result);
}
