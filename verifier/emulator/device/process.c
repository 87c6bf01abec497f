#include "verifier/emulator/device/process.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verifier/emulator/device/report.h"

static EmuProcessEntry unlisted;
static EmuProcessEntry* self;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Fields 3 (state) and 22 (start time) of /proc/PID/stat; the name before them may hold anything
// but ends with the last parenthesis (proc(5)).
uint64_t emu_process_start_time(int pid) {
  char path[32], text[1024];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t length = read(fd, text, sizeof text - 1);
  close(fd);
  if (length <= 0) return 0;
  text[length] = '\0';
  const char* at = strrchr(text, ')');
  if (at == NULL || at[1] == '\0' || strchr("ZX", at[2]) != NULL) return 0;
  for (int field = 2; field < 22 && at != NULL; ++field) at = strchr(at + 1, ' ');
  return at == NULL ? 0 : strtoull(at + 1, NULL, 10);
}

int emu_process_is_alive(int pid, uint64_t start_time) {
  return start_time != 0 && emu_process_start_time(pid) == start_time;
}

static int is_free(const EmuProcessEntry* entry) {
  if (__atomic_load_n(&entry->state, __ATOMIC_ACQUIRE) == 0) return 1;
  if (__atomic_load_n(&entry->state, __ATOMIC_ACQUIRE) != 2) return 0;
  return !emu_process_is_alive(entry->pid, entry->start_time);
}

static int claim(EmuProcessEntry* entry) {
  uint32_t state = __atomic_load_n(&entry->state, __ATOMIC_ACQUIRE);
  if (state == 1 || !is_free(entry) ||
      !__atomic_compare_exchange_n(&entry->state, &state, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return 0;
  entry->pid = getpid();
  entry->start_time = emu_process_start_time(entry->pid);
  __atomic_store_n(&entry->state, 2, __ATOMIC_RELEASE);
  return 1;
}

static void enter(void) {
  EmuReport* report = emu_report();
  memset(&unlisted, 0, sizeof unlisted);
  self = &unlisted;
  for (int i = 0; i < EMU_MAX_PROCESSES && self == &unlisted; ++i) {
    if (claim(&report->process[i])) self = &report->process[i];
  }
}

static void make(void) {
  enter();
  pthread_atfork(NULL, NULL, enter);
}

EmuProcessEntry* emu_process(void) {
  pthread_once(&once, make);
  return self;
}

int emu_other_processes(void) {
  const EmuReport* report = emu_report();
  const EmuProcessEntry* own = emu_process();
  for (int i = 0; i < EMU_MAX_PROCESSES; ++i) {
    const EmuProcessEntry* entry = &report->process[i];
    if (entry != own && __atomic_load_n(&entry->state, __ATOMIC_ACQUIRE) == 2 &&
        emu_process_is_alive(entry->pid, entry->start_time))
      return 1;
  }
  return 0;
}
