#include "verifier/emulator/device/site.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "verifier/emulator/device/events.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/native_site.h"
#include "verifier/emulator/device/python_api.h"
#include "verifier/emulator/device/python_site.h"

enum { PYTHON = 1, NATIVE = 2 };

static __thread int thread_kind;  // of EMU_THREAD_*, plus 1
// The site a thread of the program's own last had: the one that called backward had one there. That
// is the main thread's, unless it had none in the running step; others may be loading data
// meanwhile.
static uint32_t last_site;
static uint64_t step_of_main = UINT64_MAX;

static int look_up_kind(void) {
  if (syscall(SYS_gettid) == getpid()) return EMU_THREAD_MAIN;
  // The names PyTorch gives its threads: pt_autograd_0 (torch/csrc/autograd/engine.cpp).
  char name[16] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  return strncmp(name, "pt_autograd", 11) == 0 ? EMU_THREAD_AUTOGRAD : EMU_THREAD_OTHER;
}

int emu_thread_kind(void) {
  if (thread_kind == 0) thread_kind = look_up_kind() + 1;
  return thread_kind - 1;
}

static void remember(const EmuProcessLog* own, uint32_t site) {
  const uint64_t step = __atomic_load_n(&own->steps, __ATOMIC_RELAXED);
  const int is_main = emu_thread_kind() == EMU_THREAD_MAIN;
  if (!is_main && __atomic_load_n(&step_of_main, __ATOMIC_RELAXED) == step) return;
  if (is_main) __atomic_store_n(&step_of_main, step, __ATOMIC_RELAXED);
  __atomic_store_n(&last_site, site, __ATOMIC_RELAXED);
}

uint32_t emu_site(int may_run_python) {
  EmuProcessLog* own = emu_log_area();
  if (own == NULL) return 0;
  const int engine = emu_thread_kind() == EMU_THREAD_AUTOGRAD;
  const uint32_t caller = engine ? __atomic_load_n(&last_site, __ATOMIC_RELAXED) : 0;
  uint32_t site = 0;
  if (emu_python() != NULL) {
    own->language = PYTHON;
    if (!emu_python_site(caller, may_run_python, &site)) return caller;
  } else {
    if (own->language == 0) own->language = NATIVE;
    site = own->language == NATIVE ? emu_native_site(caller) : caller;
  }
  if (!engine && site != 0) remember(own, site);
  return site;
}

void emu_site_prepare(void) {
  if (emu_logging()) emu_python_site_prepare();
}

void emu_sites_forget(void) {
  thread_kind = 0;
  last_site = 0;
  step_of_main = UINT64_MAX;
  emu_python_sites_forget();
  emu_native_sites_forget();
}
