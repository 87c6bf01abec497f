// The parts of the log, for those that write it (log.c, blocks.c, site.c, step.c).
#pragma once

#include "verifier/dryrun/event_log.h"

// This process's area, claimed at the first call; null when there is no log or no area is free.
EmuProcessLog* emu_log_area(void);
uint64_t emu_log_time(void);  // since the log was made, in ns
// 0: never.
uint64_t emu_log_stop_after(void);

// The number of a string; 0 when the table is full, which is counted.
uint32_t emu_log_name(const char* text);
// The number of a place; 0 when the table is full, which is counted.
uint32_t emu_log_site(uint32_t caller, uint32_t file, uint32_t function, uint32_t line,
                      uint64_t offset);

void emu_log_event(int kind, int device, uint32_t site, uint64_t a, uint64_t b, uint64_t c);
// An event whose kind is decided later, or never: it keeps its place among the others.
uint64_t emu_log_reserve(void);
void emu_log_fill(uint64_t number, int kind, uint64_t time, int device, uint64_t a);

// Called in a forked child, which is a process of its own.
void emu_blocks_forget(void);
void emu_sites_forget(void);
void emu_steps_forget(void);
