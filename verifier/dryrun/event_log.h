// The log an emulated program leaves, as the C libraries of verifier/emulator write it and
// event_log.cpp reads it: a sparse file named by FORERUN_EMULATOR_EVENTS, mapped by every process
// of the program, of which each fills an area of its own. It is bounded: kept are the first events,
// the newest ones, and counts of everything. A killed process leaves an area that reads.
#pragma once

#include <stdint.h>

#define EMU_LOG_MAGIC 0x31474f4c45524f46ull  // "FOREGLO1"

enum {
  EMU_LOG_PROCESSES = 32,
  EMU_LOG_NAMES = 16384,         // strings: kernels, files, functions
  EMU_LOG_TEXT_BYTES = 4 << 20,  // their text, NUL-terminated
  EMU_LOG_SITES = 32768,
  EMU_LOG_STEPS = 4096,             // records of steps: the first half, and the newest
  EMU_LOG_FIRST_EVENTS = 1 << 19,   // kept from the start of the process
  EMU_LOG_NEWEST_EVENTS = 1 << 18,  // a ring
};

// A place in the program, as a chain: a frame and the site that called it. Site 0 is "unknown".
typedef struct {
  uint32_t caller;    // site; 0 at the outermost frame kept
  uint32_t file;      // name: a source file, or the shared object of a native frame
  uint32_t function;  // name; 0 when it is not known
  uint32_t line;      // 0 for a native frame
  uint64_t offset;    // of a native frame, from the start of its shared object
  // What happened there; changed atomically.
  uint64_t blocking_calls;
  uint64_t computed_reads;  // reads by the host of what a kernel would have written
  int64_t live_bytes;       // of PyTorch's blocks that were allocated there
  int64_t live_blocks;
} EmuSite;

// Who made an event: a thread's part in the program.
enum { EMU_THREAD_MAIN = 0, EMU_THREAD_AUTOGRAD = 1, EMU_THREAD_OTHER = 2 };

enum {
  EMU_EVENT_LAUNCH =
      1,  // a: name of the kernel, mangled; b: blocks of the grid; c: threads of a block
  EMU_EVENT_GEMM =
      2,  // a: m << 32 | n; b: k << 32 | batch; c: EMU_GEMM_* of the operands, see below
  EMU_EVENT_COPY = 3,           // a: bytes; b: EMU_COPY_*; c: address on the device; see below
  EMU_EVENT_BLOCK = 4,          // a: name of the call that waits for the device
  EMU_EVENT_COMPUTED_READ = 5,  // a: bytes; the host read what a kernel would have written
  EMU_EVENT_ALLOC = 6,          // PyTorch's block. a: address; b: bytes; c: allocated after it
  EMU_EVENT_FREE = 7,           // as ALLOC
  EMU_EVENT_SEGMENT = 8,  // cudaMalloc and relatives. a: address; b: bytes; c: handed out after it
  EMU_EVENT_SEGMENT_FREE = 9,
  EMU_EVENT_COLLECTIVE = 10,  // a: name of the call; b: bytes of this rank's buffer; c: ranks
  EMU_EVENT_CATEGORY =
      11,               // a: address of a block; b: EMU_CATEGORY_*: what the block turned out to be
  EMU_EVENT_STEP = 12,  // the end of a step. a: its number from 1
  EMU_EVENT_OUT_OF_MEMORY = 13,  // a: bytes asked for; b: free bytes
  EMU_EVENT_GRAPH = 14,          // a captured graph was launched. a: nodes
  EMU_EVENT_TORCH_OUT_OF_MEMORY =
      15,  // PyTorch raises its OutOfMemoryError. a: bytes asked for; b: allocated; c: reserved
};

// EMU_EVENT_COPY.b: a direction and what is so. c: where it is written, of a copy to the host where
// it is read; a block written from the host is data.
enum {
  EMU_COPY_TO_DEVICE = 1,
  EMU_COPY_TO_HOST = 2,
  EMU_COPY_ON_DEVICE = 3,
  EMU_COPY_BETWEEN_DEVICES = 4,
  EMU_COPY_DIRECTION = 7,
  EMU_COPY_PINNED = 8,     // the host's side is pinned; otherwise it is pageable
  EMU_COPY_BLOCKING = 16,  // the call returns when the copy is over
};

// EMU_EVENT_GEMM.c: cudaDataType_t of A | of C << 8 | cublasComputeType_t << 16.

enum {
  EMU_CATEGORY_UNKNOWN = 0,
  EMU_CATEGORY_PARAMETER = 1,
  EMU_CATEGORY_GRADIENT = 2,
  EMU_CATEGORY_OPTIMIZER_STATE = 3,
  EMU_CATEGORY_WORKSPACE = 4,  // cuBLAS, cuDNN
  EMU_CATEGORY_BUFFER = 5,     // of modules, such as running statistics
};

typedef struct {
  uint64_t time_ns;  // since the log was made
  uint16_t kind;     // 0: not written yet
  uint8_t device;
  uint8_t thread;  // EMU_THREAD_*
  uint32_t site;
  uint64_t a, b, c;
} EmuEvent;

// Totals between two ends of steps.
typedef struct {
  uint64_t number;  // from 1; 0: not written yet
  uint64_t end_ns;
  uint64_t launches, gemms, gemm_flops;
  uint64_t blocking_calls, computed_reads;
  uint64_t copies_to_device, bytes_to_device, pageable_bytes_to_device;
  uint64_t copies_to_host, bytes_to_host;
  uint64_t collectives, collective_bytes;
  uint64_t allocations;                                // PyTorch's blocks
  uint64_t allocated_peak_bytes, allocated_end_bytes;  // of the device in use when the step ended
  uint64_t reserved_end_bytes;
} EmuStep;

typedef struct {
  uint64_t pid;     // 0: the area is free
  uint32_t rank;    // RANK of the environment; 0 without
  uint32_t device;  // that it used last
  uint64_t events;  // ever written; those with numbers in [FIRST, events - NEWEST) are lost
  uint64_t steps;   // ever ended
  uint32_t names, sites, text_bytes;
  uint32_t lost_names, lost_sites;  // that did not fit
  uint32_t language;                // of the call sites: 0 none yet, 1 Python, 2 native
  EmuStep now;                      // the step that is running
  EmuStep
      step[EMU_LOG_STEPS];  // number n is at n - 1 < HALF ? n - 1 : HALF + (n - 1 - HALF) % HALF
  uint32_t name_at[EMU_LOG_NAMES];  // offset into text; name 0 is ""
  char text[EMU_LOG_TEXT_BYTES];
  EmuSite site[EMU_LOG_SITES];
  EmuEvent first[EMU_LOG_FIRST_EVENTS];
  EmuEvent newest[EMU_LOG_NEWEST_EVENTS];  // number n is at (n - FIRST) % NEWEST
} EmuProcessLog;

typedef struct {
  uint64_t magic;
  uint64_t start_ns;          // CLOCK_MONOTONIC
  uint64_t stop_after_steps;  // 0: never. A process ends itself, with status 0, when it has ended
                              // so many
  uint64_t lost_processes;    // that found no free area
  EmuProcessLog process[EMU_LOG_PROCESSES];
} EmuLog;
