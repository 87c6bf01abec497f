// The processes of an emulated program, as the report they share lists them.
#pragma once

#include <stdint.h>

#include "verifier/dryrun/report_layout.h"

// This process's entry, made at the first call; one of its own when the table is full or there is
// no report. Forks get one of their own.
EmuProcessEntry* emu_process(void);
// Whether another process of the program that has an entry is alive.
int emu_other_processes(void);
// When a process started, in clock ticks since boot; 0 when it is not there.
uint64_t emu_process_start_time(int pid);
// False for one that has ended, a zombie, or another that has got its number.
int emu_process_is_alive(int pid, uint64_t start_time);
