#include "verifier/emulator/device/report.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static EmuReport private_report;
static EmuReport* report = &private_report;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_report(void) {
  const char* path = getenv("FORERUN_EMULATOR_REPORT");
  if (path == NULL || path[0] == '\0') return;
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0 || (size_t)info.st_size < sizeof(EmuReport)) {
    emu_say("the report '%s' cannot be written (%s); counts of this process are lost", path,
            fd < 0 ? strerror(errno) : "too small");
  } else {
    void* mapped = mmap(NULL, sizeof(EmuReport), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped != MAP_FAILED && ((EmuReport*)mapped)->magic == EMU_REPORT_MAGIC) report = mapped;
  }
  if (fd >= 0) close(fd);
}

EmuReport* emu_report(void) {
  pthread_once(&once, open_report);
  return report;
}

void emu_add(uint64_t* counter, uint64_t amount) {
  __atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
}

void emu_raise(uint64_t* counter, uint64_t candidate) {
  uint64_t seen = __atomic_load_n(counter, __ATOMIC_RELAXED);
  while (seen < candidate && !__atomic_compare_exchange_n(counter, &seen, candidate, 1,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

void emu_say(const char* format, ...) {
  char line[1024] = "forerun emulator: ";
  const size_t prefix = strlen(line);
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line + prefix, sizeof line - prefix - 1, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  size_t end = prefix + (size_t)length;
  if (end > sizeof line - 2) end = sizeof line - 2;
  line[end++] = '\n';
  const ssize_t ignored = write(STDERR_FILENO, line, end);
  (void)ignored;
}

// The slot of a name, shared by all processes; null when the table is full.
static EmuNamedCount* claim(const char* name, uint32_t kind) {
  EmuReport* all = emu_report();
  for (int i = 0; i < EMU_MAX_NAMES; ++i) {
    EmuNamedCount* slot = &all->names[i];
    uint32_t state = 0;
    if (__atomic_compare_exchange_n(&slot->state, &state, 1, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      slot->kind = kind;
      snprintf(slot->name, sizeof slot->name, "%s", name);
      __atomic_store_n(&slot->state, 2, __ATOMIC_RELEASE);
      return slot;
    }
    // A slot another process is writing may hold this very name; two slots of one name are added up
    // by the reader.
    if (state == 2 && slot->kind == kind && strncmp(slot->name, name, sizeof slot->name - 1) == 0)
      return slot;
  }
  return NULL;
}

static void count_name(EmuEntry* entry, uint32_t kind, const char* line) {
  static EmuNamedCount overflow;
  EmuNamedCount* slot = __atomic_load_n(&entry->slot, __ATOMIC_ACQUIRE);
  if (slot == NULL) {
    EmuNamedCount* claimed = claim(entry->name, kind);
    if (claimed == NULL) claimed = &overflow;
    if (__atomic_compare_exchange_n(&entry->slot, &slot, claimed, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      emu_say(line, entry->name);
      slot = claimed;
    }
  }
  emu_add(&slot->count, 1);
}

void emu_unmodelled(EmuEntry* entry) {
  count_name(entry, EMU_NAME_UNMODELLED, "unmodelled: %s (answered \"not supported\")");
}

void emu_unknown_size(EmuEntry* entry) {
  count_name(entry, EMU_NAME_UNKNOWN_SIZE,
             "unknown size: %s (only NVIDIA's library knows it; taken as 0)");
}
