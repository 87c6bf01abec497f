// Sites of Python code.
#pragma once

#include <stdint.h>

// The frames of the calling thread under `caller`: *site is `caller` when it runs no Python code.
// False when they cannot be read now. Never waits for Python's lock and never makes an object,
// unless `may_use_api`: then the public API is asked where nothing better is there and the thread
// holds the lock, which may run the program's code.
int emu_python_site(uint32_t caller, int may_use_api, uint32_t* site);

// Learns, when the calling thread holds Python's lock, whether frames can be read without it.
void emu_python_site_prepare(void);
void emu_python_sites_forget(void);  // in a forked child
