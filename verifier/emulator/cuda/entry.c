// Initialisation, versions, errors, and the look-up of every other entry point by name.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "verifier/emulator/cuda/aliases.h"
#include "verifier/emulator/cuda/driver.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/report.h"

CUresult emu_driver_result(int result) {
  return result == EMU_OK              ? CUDA_SUCCESS
         : result == EMU_OUT_OF_MEMORY ? CUDA_ERROR_OUT_OF_MEMORY
                                       : CUDA_ERROR_INVALID_VALUE;
}

// The runtime of another CUDA release comes with the program when its PyTorch is built for that
// one: NVIDIA's own, which is no use without a driver. Noted by file name.
static int note_runtime(struct dl_phdr_info* object, size_t size, void* found) {
  (void)size;
  static const char runtime[] = "libcudart.so.";
  const char* name = strrchr(object->dlpi_name, '/');
  name = name == NULL ? object->dlpi_name : name + 1;
  if (strncmp(name, runtime, sizeof runtime - 1) != 0) return 0;
  const int major = atoi(name + sizeof runtime - 1);
  if (major != CUDA_VERSION / 1000) *(int*)found = major;
  return 0;
}

static int other_runtime;
static pthread_once_t looked = PTHREAD_ONCE_INIT;
static void look_for_runtime(void) {
  dl_iterate_phdr(note_runtime, &other_runtime);
  if (other_runtime == 0) return;
  emu_say(
      "the program's PyTorch is built for CUDA %d and the emulator in front of it for CUDA %d, so "
      "it "
      "finds no GPU; start it as forerun dry-run -- python ..., which chooses, or see "
      "FORERUN_EMULATOR_SITES in docs/emulator.md",
      other_runtime, CUDA_VERSION / 1000);
}

CUresult cuInit(unsigned int flags) {
  (void)flags;
  pthread_once(&looked, look_for_runtime);
  return other_runtime == 0 && emu_device_count() > 0 ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

CUresult cuDriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

static const struct {
  CUresult error;
  const char *name, *text;
} errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};

static CUresult look_up(CUresult error, const char** name, const char** text) {
  for (unsigned i = 0; i < sizeof errors / sizeof *errors; ++i) {
    if (errors[i].error != error) continue;
    *name = errors[i].name;
    *text = errors[i].text;
    return CUDA_SUCCESS;
  }
  *name = *text = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  const char* text;
  return look_up(error, name, &text);
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  const char* name;
  return look_up(error, &name, text);
}

static void* self;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void find_self(void) { self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD); }

CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* result) {
  (void)version, (void)flags;
  pthread_once(&once, find_self);
  const char* exported = name;
  for (const EmuAlias* alias = emu_driver_aliases; alias->name != NULL; ++alias) {
    if (strcmp(alias->name, name) == 0) exported = alias->exported;
  }
  *function = self == NULL ? NULL : dlsym(self, exported);
  if (result != NULL) {
    *result =
        *function != NULL ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return *function != NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// Private interfaces between NVIDIA's own libraries, by undocumented identifiers: there are none
// here, and NVRTC and CUPTI, which ask, do without.
CUresult cuGetExportTable(const void** table, const CUuuid* id) {
  (void)id;
  *table = NULL;
  return CUDA_ERROR_NOT_FOUND;
}
