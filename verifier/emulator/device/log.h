// What a program does to the device, told to whoever started it: the log of
// verifier/dryrun/event_log.h, in the file FORERUN_EMULATOR_EVENTS names. Each of these is one call
// at the place where the thing happens, and costs one branch when there is no log. Nothing here
// waits for a lock of the program's, Python's included.
#pragma once

#include <stdint.h>

// Whether there is a log.
int emu_log_open(void);
extern int emu_log_state;  // 0: not looked for yet, 1: there is none, 2: there is one
static inline int emu_logging(void) {
  const int state = __atomic_load_n(&emu_log_state, __ATOMIC_ACQUIRE);
  return state == 1 ? 0 : state == 2 ? 1 : emu_log_open();
}

// At a call that programs make early and that Python's lock may be held in (device/site.h).
void emu_log_prepare(void);

// A kernel was put on a stream; one that is captured counts when its graph is launched.
void emu_log_launch(const char* kernel, uint64_t blocks, uint64_t threads, void* stream);
void emu_log_graph(uint64_t nodes);
// Types and compute are cudaDataType_t and cublasComputeType_t.
void emu_log_gemm(uint64_t m, uint64_t n, uint64_t k, uint64_t batch, int a_type, int c_type,
                  int compute);
// Before a copy is made. `waits`: the call returns when the copy is over; so does a copy from the
// device into pageable memory, whatever the call.
void emu_log_copy(const char* call, const void* to, const void* from, uint64_t bytes, void* stream,
                  int waits);
// A call that waits for a stream (NULL: the whole device).
void emu_log_wait(const char* call, void* stream);
// cudaFree and relatives wait for the device, if it has anything to do.
void emu_log_wait_if_busy(const char* call);
void emu_log_collective(const char* call, uint64_t bytes, int ranks);

// cudaMalloc and its relatives; `after` is handed out after it.
void emu_log_segment(int device, uint64_t address, uint64_t bytes, uint64_t after);
void emu_log_segment_free(int device, uint64_t address, uint64_t bytes, uint64_t after);
void emu_log_out_of_memory(int device, uint64_t bytes, uint64_t free_bytes);

// A block of PyTorch's caching allocator was handed out (change > 0) or taken back.
void emu_log_block(int device, uint64_t address, int64_t change, uint64_t allocated,
                   uint64_t reserved);
// PyTorch raises its OutOfMemoryError.
void emu_log_torch_out_of_memory(int device, uint64_t bytes, uint64_t allocated, uint64_t reserved);
// The block a library works in.
void emu_log_workspace(const void* address);
