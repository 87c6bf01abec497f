// Sites of C++ code: frames as a shared object and an offset into it.
#pragma once

#include <stdint.h>

// The frames of the calling thread under `caller`, without those of PyTorch and of this emulator at
// the inner end; `caller` when nothing else is on the stack.
uint32_t emu_native_site(uint32_t caller);
void emu_native_sites_forget(void);  // in a forked child
