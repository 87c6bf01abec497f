#include "verifier/emulator/device/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "verifier/emulator/device/events.h"
#include "verifier/emulator/device/report.h"
#include "verifier/emulator/device/site.h"

enum { NAME_SLOTS = 2 * EMU_LOG_NAMES, SITE_SLOTS = 2 * EMU_LOG_SITES, POINTER_SLOTS = 4096 };

int emu_log_state;
static EmuLog* whole;
static EmuProcessLog* area;
// Serialises claiming and the two tables below; nothing else is taken while it is held.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// Numbers by hash, open addressing; the text and the places are in the log.
static uint32_t name_slots[NAME_SLOTS], site_slots[SITE_SLOTS];
// The number of a string by its address, address << 16 | number: kernels have the same few.
static uint64_t pointer_slots[POINTER_SLOTS];

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

// A child looks for an area of its own when it uses the device, and seldom does.
static void in_child(void) {
  area = NULL;
  __atomic_store_n(&emu_log_state, whole == NULL ? 1 : 2, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&lock);
  emu_blocks_forget();
  emu_sites_forget();
  emu_steps_forget();
}

static EmuLog* map_log(const char* path) {
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  struct stat info;
  EmuLog* mapped = MAP_FAILED;
  if (fd >= 0 && fstat(fd, &info) == 0 && (size_t)info.st_size >= sizeof(EmuLog))
    mapped = mmap(NULL, sizeof(EmuLog), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int error = errno;
  if (fd >= 0) close(fd);
  if (mapped != MAP_FAILED && mapped->magic == EMU_LOG_MAGIC) return mapped;
  emu_say("the event log '%s' cannot be written (%s); this process is not watched", path,
          fd < 0 ? strerror(error) : "not a log");
  return NULL;
}

int emu_log_open(void) {
  pthread_mutex_lock(&lock);
  if (emu_log_state == 0) {
    const char* path = getenv("FORERUN_EMULATOR_EVENTS");
    whole = path == NULL || path[0] == '\0' ? NULL : map_log(path);
    if (whole != NULL) pthread_atfork(before_fork, after_fork, in_child);
    __atomic_store_n(&emu_log_state, whole == NULL ? 1 : 2, __ATOMIC_RELEASE);
  }
  const int open = emu_log_state == 2;
  pthread_mutex_unlock(&lock);
  return open;
}

// The lock is held.
static EmuProcessLog* claim(void) {
  for (int i = 0; i < EMU_LOG_PROCESSES; ++i) {
    EmuProcessLog* candidate = &whole->process[i];
    uint64_t none = 0;
    if (!__atomic_compare_exchange_n(&candidate->pid, &none, (uint64_t)getpid(), 0,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      continue;
    const char* rank = getenv("RANK");
    candidate->rank = rank == NULL ? 0 : (uint32_t)strtoul(rank, NULL, 10);
    candidate->text_bytes = 1;  // name 0 is ""
    candidate->names = 1;
    candidate->sites = 1;
    memset(name_slots, 0, sizeof name_slots);
    memset(site_slots, 0, sizeof site_slots);
    memset(pointer_slots, 0, sizeof pointer_slots);
    return candidate;
  }
  emu_add(&whole->lost_processes, 1);
  return NULL;
}

EmuProcessLog* emu_log_area(void) {
  EmuProcessLog* own = __atomic_load_n(&area, __ATOMIC_ACQUIRE);
  if (own != NULL) return own;
  if (!emu_logging()) return NULL;
  pthread_mutex_lock(&lock);
  if (area == NULL && emu_log_state == 2) {
    own = claim();
    __atomic_store_n(&area, own, __ATOMIC_RELEASE);
    if (own == NULL) __atomic_store_n(&emu_log_state, 1, __ATOMIC_RELEASE);
  }
  own = area;
  pthread_mutex_unlock(&lock);
  return own;
}

uint64_t emu_log_stop_after(void) { return whole == NULL ? 0 : whole->stop_after_steps; }

uint64_t emu_log_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const uint64_t time = (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
  return time > whole->start_ns ? time - whole->start_ns : 0;
}

// --- Names and places

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ hash >> 29;
}

static uint64_t hash_of(const char* text, size_t bytes) {
  uint64_t hash = bytes;
  for (; bytes >= 8; text += 8, bytes -= 8) {
    uint64_t word;
    memcpy(&word, text, 8);
    hash = mix(hash, word);
  }
  uint64_t word = 0;
  memcpy(&word, text, bytes);
  return mix(hash, word);
}

// The lock is held.
static uint32_t add_name(EmuProcessLog* own, const char* text, size_t bytes) {
  if (own->names == EMU_LOG_NAMES || bytes + 1 > EMU_LOG_TEXT_BYTES - own->text_bytes) {
    ++own->lost_names;
    return 0;
  }
  const uint32_t number = own->names;
  own->name_at[number] = own->text_bytes;
  memcpy(own->text + own->text_bytes, text, bytes + 1);
  own->text_bytes += (uint32_t)bytes + 1;
  __atomic_store_n(&own->names, number + 1, __ATOMIC_RELEASE);
  return number;
}

static uint32_t intern_name(EmuProcessLog* own, const char* text) {
  const size_t bytes = strlen(text);
  pthread_mutex_lock(&lock);
  uint32_t number = 0;
  for (uint64_t i = hash_of(text, bytes);; ++i) {
    uint32_t* slot = &name_slots[i % NAME_SLOTS];
    if (*slot == 0) {
      number = *slot = add_name(own, text, bytes);
      break;
    }
    if (strcmp(own->text + own->name_at[*slot], text) != 0) continue;
    number = *slot;
    break;
  }
  pthread_mutex_unlock(&lock);
  return number;
}

uint32_t emu_log_name(const char* text) {
  EmuProcessLog* own = emu_log_area();
  if (own == NULL || text == NULL || text[0] == '\0') return 0;
  const uint64_t address = (uint64_t)(uintptr_t)text;
  uint64_t* cached = &pointer_slots[mix(0, address) % POINTER_SLOTS];
  const uint64_t entry = __atomic_load_n(cached, __ATOMIC_RELAXED);
  const uint32_t known = entry & 0xffff;
  // The memory may hold another string by now.
  if (entry >> 16 == address && strcmp(own->text + own->name_at[known], text) == 0) return known;
  const uint32_t number = intern_name(own, text);
  if (number != 0) __atomic_store_n(cached, address << 16 | number, __ATOMIC_RELAXED);
  return number;
}

static int same_site(const EmuSite* site, const EmuSite* wanted) {
  return site->caller == wanted->caller && site->file == wanted->file &&
         site->function == wanted->function && site->line == wanted->line &&
         site->offset == wanted->offset;
}

uint32_t emu_log_site(uint32_t caller, uint32_t file, uint32_t function, uint32_t line,
                      uint64_t offset) {
  EmuProcessLog* own = emu_log_area();
  if (own == NULL) return 0;
  const EmuSite wanted = {
      .caller = caller, .file = file, .function = function, .line = line, .offset = offset};
  const uint64_t hash =
      mix(mix(mix((uint64_t)caller << 32 | file, (uint64_t)function << 32 | line), offset), 1);
  uint32_t number = 0;
  pthread_mutex_lock(&lock);
  for (uint64_t i = hash;; ++i) {
    uint32_t* slot = &site_slots[i % SITE_SLOTS];
    if (*slot != 0 && !same_site(&own->site[*slot], &wanted)) continue;
    if (*slot == 0 && own->sites == EMU_LOG_SITES) {
      ++own->lost_sites;
    } else if (*slot == 0) {
      own->site[own->sites] = wanted;
      *slot = own->sites;
      __atomic_store_n(&own->sites, own->sites + 1, __ATOMIC_RELEASE);
    }
    number = *slot;
    break;
  }
  pthread_mutex_unlock(&lock);
  return number;
}

// --- Events

static EmuEvent* place_of(EmuProcessLog* own, uint64_t number) {
  return number < EMU_LOG_FIRST_EVENTS
             ? &own->first[number]
             : &own->newest[(number - EMU_LOG_FIRST_EVENTS) % EMU_LOG_NEWEST_EVENTS];
}

static EmuEvent* next_event(EmuProcessLog* own, uint64_t* number) {
  *number = __atomic_fetch_add(&own->events, 1, __ATOMIC_RELAXED);
  EmuEvent* event = place_of(own, *number);
  __atomic_store_n(&event->kind, 0, __ATOMIC_RELEASE);
  return event;
}

void emu_log_event(int kind, int device, uint32_t site, uint64_t a, uint64_t b, uint64_t c) {
  EmuProcessLog* own = emu_log_area();
  if (own == NULL) return;
  uint64_t number;
  EmuEvent* event = next_event(own, &number);
  event->time_ns = emu_log_time();
  event->device = (uint8_t)device;
  event->thread = (uint8_t)emu_thread_kind();
  event->site = site;
  event->a = a;
  event->b = b;
  event->c = c;
  __atomic_store_n(&event->kind, (uint16_t)kind, __ATOMIC_RELEASE);
}

uint64_t emu_log_reserve(void) {
  EmuProcessLog* own = emu_log_area();
  uint64_t number = 0;
  if (own != NULL) next_event(own, &number);
  return number;
}

void emu_log_fill(uint64_t number, int kind, uint64_t time, int device, uint64_t a) {
  EmuProcessLog* own = emu_log_area();
  if (own == NULL) return;
  const uint64_t events = __atomic_load_n(&own->events, __ATOMIC_RELAXED);
  const int overwritten =
      number >= EMU_LOG_FIRST_EVENTS && events - number > EMU_LOG_NEWEST_EVENTS / 2;
  if (overwritten) return emu_log_event(kind, device, 0, a, 0, 0);
  EmuEvent* event = place_of(own, number);
  event->time_ns = time;
  event->device = (uint8_t)device;
  event->thread = (uint8_t)emu_thread_kind();
  event->site = 0;
  event->a = a;
  event->b = event->c = 0;
  __atomic_store_n(&event->kind, (uint16_t)kind, __ATOMIC_RELEASE);
}
