// The report an emulated program leaves, as the C libraries of verifier/emulator write it and
// report.cpp reads it: a file named by FORERUN_EMULATOR_REPORT, mapped by every process of the
// program. Counters only grow, so that a killed process leaves a report that reads.
#pragma once

#include <stdint.h>

#define EMU_REPORT_MAGIC 0x31554d4546464f52ull  // "ROFFEMU1"
enum { EMU_MAX_DEVICES = 16, EMU_MAX_NAMES = 1024, EMU_NAME_BYTES = 96, EMU_MAX_PROCESSES = 256 };

// Kinds of named counts.
enum {
  EMU_NAME_UNMODELLED = 1,    // an entry point nobody has considered; it returned "not supported"
  EMU_NAME_UNKNOWN_SIZE = 2,  // a size only NVIDIA's library knows; it was answered as zero
};

typedef struct {
  uint32_t state;  // 0 free, 1 being written, 2 readable
  uint32_t kind;
  uint64_t count;
  char name[EMU_NAME_BYTES];
} EmuNamedCount;

// Bytes of one device, the largest of any one process.
typedef struct {
  uint64_t driver_peak_bytes;     // handed out by cudaMalloc and its relatives
  uint64_t allocated_peak_bytes;  // as PyTorch's caching allocator reports them; 0 without PyTorch
  uint64_t reserved_peak_bytes;
  uint64_t failed_requests;     // that did not fit
  uint64_t first_failed_bytes;  // size of the first of them
} EmuDeviceReport;

// A process of the program, so that ranks can tell whether others are alive.
typedef struct {
  uint32_t state;  // 0 free, 1 being written, 2 readable
  int32_t pid;
  uint64_t start_time;  // field 22 of /proc/PID/stat
} EmuProcessEntry;

typedef struct {
  uint64_t magic;
  uint64_t processes;  // that used the device
  uint64_t launches;   // kernels, of all processes
  uint64_t synchronisations;
  uint64_t bytes_to_device, bytes_to_host;
  uint64_t unbacked_copies;  // to the device, too large to keep: their contents read back as zero
  EmuDeviceReport devices[EMU_MAX_DEVICES];
  EmuNamedCount names[EMU_MAX_NAMES];
  EmuProcessEntry
      process[EMU_MAX_PROCESSES];  // that loaded PyTorch's CUDA libraries or used the device
} EmuReport;
