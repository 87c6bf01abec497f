#include "verifier/emulator/device/deferred.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/report.h"
#include "verifier/emulator/device/stream.h"

// Locked before the lock of the contents, in fork() too.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t added = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static EmuDeferred* first;
static EmuDeferred** end = &first;
static int kept;  // how many; read without the lock
static int has_thread;
static __thread int running;  // this thread does deferred work: it must not be deferred again

static uint32_t last_number[EMU_LANES];
static int failed[EMU_LANES];
static unsigned lanes_opened;

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
// The child has neither the thread nor a share in the collectives of its parent.
static void in_child(void) {
  first = NULL;
  end = &first;
  kept = 0;
  has_thread = 0;
  pthread_mutex_unlock(&lock);
}

static void prepare(void) {
  emu_contents_clear(0,
                     0);  // registers the handlers of its lock first, so that fork() takes it last
  pthread_atfork(before_fork, after_fork, in_child);
}

static int overlap(EmuSpan a, EmuSpan b) {
  return a.bytes > 0 && b.bytes > 0 && a.start < b.start + b.bytes && b.start < a.start + a.bytes;
}

static int conflict(const EmuDeferred* before, EmuSpan reads, EmuSpan writes) {
  return overlap(before->writes, reads) || overlap(before->writes, writes) ||
         overlap(before->reads, writes);
}

// Whether anything kept before `last` (null: anything at all) stands in the way. The lock is held.
static int blocked(const EmuDeferred* last, EmuSpan reads, EmuSpan writes) {
  for (const EmuDeferred* work = first; work != last; work = work->next) {
    if (conflict(work, reads, writes)) return 1;
  }
  return 0;
}

// Takes a piece of work out and does it. It counts as kept until it is done, so that nobody who
// asks without the lock takes it for done.
static void finish(EmuDeferred** at) {
  EmuDeferred* work = *at;
  *at = work->next;
  if (end == &work->next) end = at;
  ++running;
  work->run(work);
  --running;
  __atomic_sub_fetch(&kept, 1, __ATOMIC_RELEASE);
}

static int can_run(EmuDeferred* work) {
  return (work->ready == NULL || work->ready(work)) && !blocked(work, work->reads, work->writes);
}

// Does what can be done, until nothing can. The lock is held.
static void progress(void) {
  for (int changed = 1; changed;) {
    changed = 0;
    for (EmuDeferred** at = &first; *at != NULL;) {
      if (can_run(*at)) {
        finish(at);
        changed = 1;
      } else {
        at = &(*at)->next;
      }
    }
  }
}

static void* work_on(void* unused) {
  (void)unused;
  unsigned pause = 0;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (first == NULL) {
      pause = 0;
      pthread_cond_wait(&added, &lock);
    }
    const int before = kept;
    progress();
    if (kept != before) pause = 0;
    pthread_mutex_unlock(&lock);
    emu_pause(&pause);
    pthread_mutex_lock(&lock);
  }
  return NULL;
}

// The lock is held. Signals are the program's: its own threads handle them.
static void start_thread(void) {
  if (has_thread) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, NULL, work_on, NULL) == 0) {
    pthread_detach(thread);
    has_thread = 1;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void emu_defer(EmuDeferred* work) {
  pthread_once(&once, prepare);
  work->next = NULL;
  pthread_mutex_lock(&lock);
  *end = work;
  end = &work->next;
  __atomic_add_fetch(&kept, 1, __ATOMIC_RELEASE);
  progress();
  if (first != NULL) {
    start_thread();
    pthread_cond_signal(&added);
  }
  pthread_mutex_unlock(&lock);
}

int emu_must_defer(EmuSpan reads, EmuSpan writes) {
  if (running || __atomic_load_n(&kept, __ATOMIC_ACQUIRE) == 0) return 0;
  pthread_mutex_lock(&lock);
  const int result = blocked(NULL, reads, writes);
  pthread_mutex_unlock(&lock);
  return result;
}

// Waits until no work is kept that `waits_for` picks.
typedef int Pick(const EmuDeferred*, const void*);
static void wait_until_none(Pick* waits_for, const void* argument) {
  unsigned pause = 0;
  while (!running && __atomic_load_n(&kept, __ATOMIC_ACQUIRE) > 0) {
    int found = 0;
    pthread_mutex_lock(&lock);
    progress();
    for (const EmuDeferred* work = first; work != NULL && !found; work = work->next)
      found = waits_for(work, argument);
    pthread_mutex_unlock(&lock);
    if (!found) return;
    emu_pause(&pause);
  }
}

static int writes_span(const EmuDeferred* work, const void* span) {
  return overlap(work->writes, *(const EmuSpan*)span);
}
void emu_wait_for_contents(EmuSpan span) { wait_until_none(writes_span, &span); }

static int is_owned(const EmuDeferred* work, const void* owner) { return work->owner == owner; }
void emu_wait_for_owner(const void* owner) { wait_until_none(is_owned, owner); }

void emu_drop_owner(const void* owner) {
  pthread_mutex_lock(&lock);
  for (EmuDeferred** at = &first; *at != NULL;) {
    if ((*at)->owner == owner) {
      (*at)->drop = 1;
      finish(at);
    } else {
      at = &(*at)->next;
    }
  }
  pthread_mutex_unlock(&lock);
}

int emu_lane_open(void) {
  return (int)(__atomic_fetch_add(&lanes_opened, 1, __ATOMIC_RELAXED) % EMU_LANES);
}
uint32_t emu_lane_next(int lane) {
  return __atomic_add_fetch(&last_number[lane], 1, __ATOMIC_RELAXED);
}
void emu_lane_fail(int lane) { __atomic_store_n(&failed[lane], 1, __ATOMIC_RELEASE); }

void emu_clock_advance(EmuClock* clock, int lane, uint32_t number) {
  uint32_t seen = __atomic_load_n(&clock->until[lane], __ATOMIC_RELAXED);
  while (seen < number && !__atomic_compare_exchange_n(&clock->until[lane], &seen, number, 1,
                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

static int lanes_in_use(void) {
  const unsigned opened = __atomic_load_n(&lanes_opened, __ATOMIC_RELAXED);
  return opened < EMU_LANES ? (int)opened : EMU_LANES;
}

void emu_clock_join(EmuClock* clock, const EmuClock* other) {
  for (int lane = 0; lane < lanes_in_use(); ++lane)
    emu_clock_advance(clock, lane, __atomic_load_n(&other->until[lane], __ATOMIC_RELAXED));
}

void emu_clock_copy(EmuClock* clock, const EmuClock* other) {
  for (int lane = 0; lane < lanes_in_use(); ++lane) {
    __atomic_store_n(&clock->until[lane], __atomic_load_n(&other->until[lane], __ATOMIC_RELAXED),
                     __ATOMIC_RELAXED);
  }
}

EmuClock* emu_default_clock(void) {
  static EmuClock clocks[EMU_MAX_DEVICES];
  return &clocks[emu_current_device() % EMU_MAX_DEVICES];
}

static int is_before(const EmuDeferred* work, const void* clock) {
  return work->lane >= 0 && work->number <= ((const EmuClock*)clock)->until[work->lane];
}

int emu_clock_finish(const EmuClock* clock) {
  EmuClock now = {{0}};
  emu_clock_copy(&now, clock);
  wait_until_none(is_before, &now);
  for (int lane = 0; lane < lanes_in_use(); ++lane) {
    if (now.until[lane] > 0 && __atomic_load_n(&failed[lane], __ATOMIC_ACQUIRE)) return 0;
  }
  return 1;
}

static int is_on_device(const EmuDeferred* work, const void* device) {
  return work->lane >= 0 && work->device == *(const int*)device;
}

int emu_device_finish(int device) {
  wait_until_none(is_on_device, &device);
  for (int lane = 0; lane < lanes_in_use(); ++lane) {
    if (__atomic_load_n(&failed[lane], __ATOMIC_ACQUIRE)) return 0;
  }
  return 1;
}

void emu_pause(unsigned* pause) {
  *pause = *pause == 0 ? 50 : *pause < 1000 ? *pause * 2 : 2000;
  const struct timespec time = {0, (long)*pause * 1000};
  nanosleep(&time, NULL);
}
