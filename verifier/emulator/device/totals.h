// What is summed up between two ends of steps, and the ends themselves.
#pragma once

#include <stdint.h>

// Adds to a counter of the running step, if there is a log: EMU_COUNT(launches, 1).
#define EMU_COUNT(field, amount)                                                              \
  do {                                                                                        \
    EmuProcessLog* emu_own = emu_log_area();                                                  \
    if (emu_own != NULL) __atomic_fetch_add(&emu_own->now.field, (amount), __ATOMIC_RELAXED); \
  } while (0)

// PyTorch's figures for a device, after every change.
void emu_step_memory(int device, uint64_t allocated, uint64_t reserved);

// Several optimizers make one step when they take turns. A step ends when every optimizer that is
// awaited has stepped; one that steps twice shows that the others are not to be waited for, and
// the step ended where the last one stepped. Awaited are those that were announced or have stepped.
void emu_step_await(uint64_t optimizer);
// True when the program has run the steps that were asked for, and must end.
int emu_step_optimizer(uint64_t optimizer);
// A step the user marks; from then on optimizers do not end steps. True as above.
int emu_step_marked(void);
