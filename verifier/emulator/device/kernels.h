// Kernels and variables that programs register when their libraries are loaded, by the host address
// that stands for them.
#pragma once

#include <stdint.h>

// A loaded fat binary: which architectures it holds machine code for.
typedef struct EmuModule EmuModule;

EmuModule* emu_module_register(const void* fat_binary_wrapper);
void emu_module_unregister(EmuModule* module);  // forgets its kernels and variables
void emu_kernel_register(EmuModule* module, const void* host, const char* name);
void emu_variable_register(EmuModule* module, const void* host, const char* name, uint64_t bytes);

typedef struct {
  const char* name;  // mangled; null for an address nobody registered
  int architecture;  // of the code this GPU would run: 90 for sm_90; the GPU's own when the binary
                     // does not say
} EmuKernel;
EmuKernel emu_kernel(const void* host);

// The device address of a variable, made at the first call; 0 when nobody registered it.
uint64_t emu_variable(const void* host, uint64_t* bytes);
