#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "verifier/emulator/device/current_device.h"
#include "verifier/emulator/device/events.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/report.h"
#include "verifier/emulator/device/totals.h"

typedef struct {
  uint64_t id;
  int awaited, stepped;
} Optimizer;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Optimizer* optimizers;
static uint64_t count, capacity, unstepped, next_index;  // unstepped: of those awaited
static int marked;                                       // by the user

// Memory of each device; the peak since the last candidate for the end of a step.
static uint64_t allocated[EMU_MAX_DEVICES], reserved[EMU_MAX_DEVICES], peak[EMU_MAX_DEVICES];

// Where the running step ends, if nothing belongs to it that is still to come.
static struct {
  int there;
  EmuStep totals;
  uint64_t event;  // reserved for it
  int device;
  uint64_t peak[EMU_MAX_DEVICES];
} candidate;

void emu_steps_forget(void) {
  pthread_mutex_init(&lock, NULL);
  count = unstepped = next_index = 0;
  candidate.there = 0;
}

void emu_step_memory(int device, uint64_t now_allocated, uint64_t now_reserved) {
  __atomic_store_n(&allocated[device], now_allocated, __ATOMIC_RELAXED);
  __atomic_store_n(&reserved[device], now_reserved, __ATOMIC_RELAXED);
  emu_raise(&peak[device], now_allocated);
}

// The counters of a step that only add up, as an array.
enum {
  FIRST_COUNTER = offsetof(EmuStep, launches) / 8,
  END_OF_COUNTERS = offsetof(EmuStep, allocated_peak_bytes) / 8
};

// The lock is held.
static void note_candidate(EmuProcessLog* own) {
  if (!candidate.there) memset(candidate.peak, 0, sizeof candidate.peak);
  for (int i = 0; i < EMU_MAX_DEVICES; ++i) {
    const uint64_t since = __atomic_exchange_n(
        &peak[i], __atomic_load_n(&allocated[i], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    if (since > candidate.peak[i]) candidate.peak[i] = since;
  }
  const int device = emu_current_device();
  for (int i = FIRST_COUNTER; i < END_OF_COUNTERS; ++i)
    ((uint64_t*)&candidate.totals)[i] = __atomic_load_n((uint64_t*)&own->now + i, __ATOMIC_RELAXED);
  candidate.totals.end_ns = emu_log_time();
  candidate.totals.allocated_peak_bytes = candidate.peak[device];
  candidate.totals.allocated_end_bytes = allocated[device];
  candidate.totals.reserved_end_bytes = reserved[device];
  candidate.device = device;
  candidate.event = emu_log_reserve();
  candidate.there = 1;
}

static EmuStep* record_of(EmuProcessLog* own, uint64_t number) {
  const uint64_t half = EMU_LOG_STEPS / 2, index = number - 1;
  return &own->step[index < half ? index : half + (index - half) % half];
}

// The lock is held.
static void end_at_candidate(EmuProcessLog* own) {
  if (!candidate.there) return;
  candidate.there = 0;
  for (int i = FIRST_COUNTER; i < END_OF_COUNTERS; ++i)
    __atomic_fetch_sub((uint64_t*)&own->now + i, ((uint64_t*)&candidate.totals)[i],
                       __ATOMIC_RELAXED);
  const uint64_t number = own->steps + 1;
  EmuStep* record = record_of(own, number);
  __atomic_store_n(&record->number, 0, __ATOMIC_RELEASE);
  candidate.totals.number = 0;
  *record = candidate.totals;
  __atomic_store_n(&record->number, number, __ATOMIC_RELEASE);
  __atomic_store_n(&own->steps, number, __ATOMIC_RELEASE);
  emu_log_fill(candidate.event, EMU_EVENT_STEP, candidate.totals.end_ns, candidate.device, number);
}

static int is_enough(const EmuProcessLog* own) {
  const uint64_t wanted = emu_log_stop_after();
  return wanted != 0 && own->steps >= wanted;
}

// The entry of an optimizer, made if there is none; null when memory is short. They step in the
// same order each time, so the search starts behind the last one found.
static Optimizer* find(uint64_t id) {
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = (next_index + i) % count;
    if (optimizers[at].id != id) continue;
    next_index = at + 1;
    return &optimizers[at];
  }
  if (count == capacity) {
    const uint64_t wanted = capacity == 0 ? 8 : capacity * 2;
    Optimizer* larger = realloc(optimizers, wanted * sizeof *larger);
    if (larger == NULL) return NULL;
    optimizers = larger;
    capacity = wanted;
  }
  optimizers[count] = (Optimizer){id, 0, 0};
  return &optimizers[count++];
}

static void await(Optimizer* optimizer) {
  if (optimizer->awaited) return;
  optimizer->awaited = 1;
  ++unstepped;
}

// A new round, of those who took part in the last one.
static void start_round(void) {
  uint64_t kept = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (optimizers[i].stepped) optimizers[kept++] = (Optimizer){optimizers[i].id, 1, 0};
  }
  count = unstepped = kept;
}

void emu_step_await(uint64_t id) {
  if (!emu_logging()) return;
  pthread_mutex_lock(&lock);
  Optimizer* optimizer = find(id);
  if (optimizer != NULL) await(optimizer);
  pthread_mutex_unlock(&lock);
}

// The lock is held.
static void stepped(EmuProcessLog* own, uint64_t id) {
  Optimizer* optimizer = find(id);
  if (optimizer == NULL) return;
  if (optimizer->stepped) {
    end_at_candidate(own);
    start_round();
    optimizer = find(id);
  }
  await(optimizer);
  optimizer->stepped = 1;
  --unstepped;
  note_candidate(own);
  if (unstepped > 0) return;
  end_at_candidate(own);
  start_round();
}

int emu_step_optimizer(uint64_t id) {
  EmuProcessLog* own = emu_logging() ? emu_log_area() : NULL;
  if (own == NULL) return 0;
  pthread_mutex_lock(&lock);
  if (!marked) stepped(own, id);
  const int enough = is_enough(own);
  pthread_mutex_unlock(&lock);
  return enough;
}

int emu_step_marked(void) {
  EmuProcessLog* own = emu_logging() ? emu_log_area() : NULL;
  if (own == NULL) return 0;
  pthread_mutex_lock(&lock);
  if (!marked) candidate.there = 0;
  marked = 1;
  note_candidate(own);
  end_at_candidate(own);
  const int enough = is_enough(own);
  pthread_mutex_unlock(&lock);
  return enough;
}

// What a program that ends leaves open: the last one to step was the last of its round.
static void __attribute__((destructor)) end_last_step(void) {
  if (__atomic_load_n(&emu_log_state, __ATOMIC_ACQUIRE) != 2 || !candidate.there) return;
  pthread_mutex_lock(&lock);
  EmuProcessLog* own = emu_log_area();
  if (own != NULL) end_at_candidate(own);
  pthread_mutex_unlock(&lock);
}
