// What happens on the device, as events, counts and sites.
#include <stddef.h>

#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/copy.h"
#include "verifier/emulator/device/current_device.h"
#include "verifier/emulator/device/deferred.h"
#include "verifier/emulator/device/events.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/site.h"
#include "verifier/emulator/device/totals.h"

// Whether the device may have work that a wait would wait for.
static int busy;
// The stream this thread waited for by a copy and put nothing on since: PyTorch synchronises after
// every copy, and the two are one wait to a user.
static __thread const void* waited;
static __thread int has_waited;

static void work(void) {
  has_waited = 0;
  if (!__atomic_load_n(&busy, __ATOMIC_RELAXED)) __atomic_store_n(&busy, 1, __ATOMIC_RELAXED);
}

void emu_log_prepare(void) { emu_site_prepare(); }

void emu_log_launch(const char* kernel, uint64_t blocks, uint64_t threads, void* stream) {
  if (!emu_logging() || emu_is_captured(stream)) return;
  work();
  EMU_COUNT(launches, 1);
  emu_log_event(EMU_EVENT_LAUNCH, emu_current_device(), 0, emu_log_name(kernel), blocks, threads);
}

void emu_log_graph(uint64_t nodes) {
  if (!emu_logging()) return;
  work();
  EMU_COUNT(launches, nodes);
  emu_log_event(EMU_EVENT_GRAPH, emu_current_device(), 0, nodes, 0, 0);
}

void emu_log_gemm(uint64_t m, uint64_t n, uint64_t k, uint64_t batch, int a_type, int c_type,
                  int compute) {
  if (!emu_logging()) return;
  work();
  EMU_COUNT(gemms, 1);
  EMU_COUNT(gemm_flops, 2 * m * n * k * batch);
  emu_log_event(
      EMU_EVENT_GEMM, emu_current_device(), 0, m << 32 | (n & 0xffffffff),
      k << 32 | (batch & 0xffffffff),
      (uint64_t)(a_type & 0xff) | (uint64_t)(c_type & 0xff) << 8 | (uint64_t)compute << 16);
}

static void blocked(const char* call, uint32_t site) {
  EmuProcessLog* own = emu_log_area();
  if (own == NULL) return;
  __atomic_fetch_add(&own->now.blocking_calls, 1, __ATOMIC_RELAXED);
  if (site != 0) __atomic_fetch_add(&own->site[site].blocking_calls, 1, __ATOMIC_RELAXED);
  emu_log_event(EMU_EVENT_BLOCK, emu_current_device(), site, emu_log_name(call), 0, 0);
}

static void read_computed(uint64_t bytes, uint32_t site) {
  EmuProcessLog* own = emu_log_area();
  if (own == NULL) return;
  __atomic_fetch_add(&own->now.computed_reads, 1, __ATOMIC_RELAXED);
  if (site != 0) __atomic_fetch_add(&own->site[site].computed_reads, 1, __ATOMIC_RELAXED);
  emu_log_event(EMU_EVENT_COMPUTED_READ, emu_current_device(), site, bytes, 0, 0);
}

static int direction_of(int to_device, int from_device, const void* to, const void* from) {
  if (to_device && !from_device) return EMU_COPY_TO_DEVICE;
  if (!to_device) return EMU_COPY_TO_HOST;
  return emu_place(to).device == emu_place(from).device ? EMU_COPY_ON_DEVICE
                                                        : EMU_COPY_BETWEEN_DEVICES;
}

static void count_copy(int direction, int pinned, uint64_t bytes) {
  if (direction == EMU_COPY_TO_DEVICE) {
    EMU_COUNT(copies_to_device, 1);
    EMU_COUNT(bytes_to_device, bytes);
    if (!pinned) EMU_COUNT(pageable_bytes_to_device, bytes);
  } else if (direction == EMU_COPY_TO_HOST) {
    EMU_COUNT(copies_to_host, 1);
    EMU_COUNT(bytes_to_host, bytes);
  }
}

void emu_log_copy(const char* call, const void* to, const void* from, uint64_t bytes, void* stream,
                  int waits) {
  if (!emu_logging() || bytes == 0) return;
  const int to_device = emu_is_device_address(to), from_device = emu_is_device_address(from);
  if (!to_device && !from_device) return;
  work();
  const int direction = direction_of(to_device, from_device, to, from);
  const int host = direction == EMU_COPY_TO_DEVICE || direction == EMU_COPY_TO_HOST;
  const int pinned = host && emu_place(to_device ? from : to).kind != EMU_NOWHERE;
  const int captured = emu_is_captured(stream);
  // Between device addresses even cudaMemcpy does not wait (CUDA's "API synchronization behavior").
  const int blocks = !captured && ((waits && host) || (direction == EMU_COPY_TO_HOST && !pinned));
  count_copy(direction, pinned, bytes);
  emu_log_event(
      EMU_EVENT_COPY, emu_current_device(), 0, bytes,
      (uint64_t)(direction | (pinned ? EMU_COPY_PINNED : 0) | (blocks ? EMU_COPY_BLOCKING : 0)),
      (uint64_t)(uintptr_t)(to_device ? to : from));
  // What other ranks have to say about it is there when it is read.
  if (direction == EMU_COPY_TO_HOST && !captured)
    emu_wait_for_contents((EmuSpan){(uint64_t)(uintptr_t)from, bytes});
  const int computed = direction == EMU_COPY_TO_HOST && !captured &&
                       !emu_contents_known((uint64_t)(uintptr_t)from, bytes);
  const uint32_t site = computed || blocks ? emu_site(1) : 0;
  if (computed) read_computed(bytes, site);
  if (!blocks) return;
  blocked(call, site);
  waited = stream;
  has_waited = 1;
}

void emu_log_wait(const char* call, void* stream) {
  if (!emu_logging()) return;
  const int again = has_waited && stream == waited;
  has_waited = 0;
  if (stream == NULL) __atomic_store_n(&busy, 0, __ATOMIC_RELAXED);
  if (!again) blocked(call, emu_site(1));
}

void emu_log_wait_if_busy(const char* call) {
  if (!emu_logging() || __atomic_exchange_n(&busy, 0, __ATOMIC_RELAXED) == 0) return;
  blocked(call, emu_site(1));
}

void emu_log_torch_out_of_memory(int device, uint64_t bytes, uint64_t allocated,
                                 uint64_t reserved) {
  if (!emu_logging()) return;
  emu_log_event(EMU_EVENT_TORCH_OUT_OF_MEMORY, device, emu_site(0), bytes, allocated, reserved);
}

void emu_log_collective(const char* call, uint64_t bytes, int ranks) {
  if (!emu_logging()) return;
  work();
  EMU_COUNT(collectives, 1);
  EMU_COUNT(collective_bytes, bytes);
  emu_log_event(EMU_EVENT_COLLECTIVE, emu_current_device(), 0, emu_log_name(call), bytes,
                (uint64_t)ranks);
}

void emu_log_segment(int device, uint64_t address, uint64_t bytes, uint64_t after) {
  if (!emu_logging()) return;
  emu_log_event(EMU_EVENT_SEGMENT, device, emu_site(0), address, bytes, after);
}

void emu_log_segment_free(int device, uint64_t address, uint64_t bytes, uint64_t after) {
  if (!emu_logging()) return;
  emu_log_event(EMU_EVENT_SEGMENT_FREE, device, 0, address, bytes, after);
}

void emu_log_out_of_memory(int device, uint64_t bytes, uint64_t free_bytes) {
  if (!emu_logging()) return;
  emu_log_event(EMU_EVENT_OUT_OF_MEMORY, device, emu_site(0), bytes, free_bytes, 0);
}
