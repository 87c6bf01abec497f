// What the emulator has to say: lines on standard error, and counts in a report that whoever
// started the program reads.
//
// The report is a file of the layout below, named by FORERUN_EMULATOR_REPORT and mapped by every
// process of the program; without it the counts stay in the process. Fields only ever grow, so that
// a killed process leaves a report that reads.
#pragma once

#include <stdint.h>

#include "verifier/dryrun/report_layout.h"

// Never null. Counters are changed with the functions below only.
EmuReport* emu_report(void);
void emu_add(uint64_t* counter, uint64_t amount);
void emu_raise(uint64_t* counter, uint64_t candidate);  // keeps the larger

// "forerun emulator: ..." on standard error, one write.
void emu_say(const char* format, ...) __attribute__((format(printf, 1, 2)));

// One of these stands in every entry point that is reported.
typedef struct {
  const char* name;
  EmuNamedCount* slot;
} EmuEntry;
// Says the name once a process and counts every call.
void emu_unmodelled(EmuEntry* entry);
void emu_unknown_size(EmuEntry* entry);

// The bodies of generated entry points. They take no arguments because none is looked at (System V
// AMD64 and AArch64 let a callee ignore them).
#define EMU_UNMODELLED(function, error)     \
  int function(void);                       \
  int function(void) {                      \
    static EmuEntry entry = {#function, 0}; \
    emu_unmodelled(&entry);                 \
    return error;                           \
  }
#define EMU_HARMLESS(function) \
  int function(void);          \
  int function(void) { return 0; }
