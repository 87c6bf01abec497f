// Where in the program something happens: the Python frames of the calling thread, or the native
// ones when no Python runs in the process.
#pragma once

#include <stdint.h>

// EMU_THREAD_* of the calling thread.
int emu_thread_kind(void);

// The site of the calling thread. Autograd's own threads have the place that last used the device
// as their caller, which is where backward was called. 0: unknown. `may_run_python`: where nothing
// better is there, Python objects may be made, as a caller that holds a lock of PyTorch's may not.
uint32_t emu_site(int may_run_python);

// To be called now and then where a program may hold Python's lock: checks whether its frames can
// be read without it.
void emu_site_prepare(void);
