#include "verifier/emulator/device/kernels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/process.h"
#include "verifier/emulator/device/profile.h"
#include "verifier/emulator/device/stream.h"

struct EmuModule {
  const void* wrapper;
  int architecture;    // -1: not looked up yet
  const void** hosts;  // what it registered
  uint64_t count, capacity;
};

typedef struct {
  const void* host;  // null: never used; TOMBSTONE: was used
  EmuModule* module;
  const char* name;
  uint64_t bytes;    // of a variable
  uint64_t address;  // of a variable, once asked for
} Symbol;

#define TOMBSTONE ((const void*)1)

// Open addressing; PyTorch registers about 50,000 kernels.
static Symbol* symbols;
static uint64_t slots, filled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t hash(const void* host) {
  const uint64_t x = (uint64_t)(uintptr_t)host * 0x9e3779b97f4a7c15ull;
  return x ^ x >> 32;
}

static Symbol* look_up(const void* host) {
  if (slots == 0) return NULL;
  for (uint64_t i = hash(host);; ++i) {
    Symbol* symbol = &symbols[i & (slots - 1)];
    if (symbol->host == host) return symbol;
    if (symbol->host == NULL) return NULL;
  }
}

static void place(Symbol symbol) {
  for (uint64_t i = hash(symbol.host);; ++i) {
    Symbol* slot = &symbols[i & (slots - 1)];
    if (slot->host != NULL && slot->host != TOMBSTONE && slot->host != symbol.host) continue;
    if (slot->host == NULL) ++filled;
    *slot = symbol;
    return;
  }
}

static int grow(void) {
  const uint64_t old_slots = slots;
  Symbol* old = symbols;
  Symbol* larger = calloc(old_slots == 0 ? 1024 : old_slots * 2, sizeof *larger);
  if (larger == NULL) return 0;
  symbols = larger;
  slots = old_slots == 0 ? 1024 : old_slots * 2;
  filled = 0;
  for (uint64_t i = 0; i < old_slots; ++i) {
    if (old[i].host != NULL && old[i].host != TOMBSTONE) place(old[i]);
  }
  free(old);
  return 1;
}

static int remember(EmuModule* module, const void* host) {
  if (module == NULL) return 1;
  if (module->count == module->capacity) {
    const uint64_t capacity = module->capacity == 0 ? 16 : module->capacity * 2;
    const void** larger = realloc(module->hosts, capacity * sizeof *larger);
    if (larger == NULL) return 0;
    module->hosts = larger;
    module->capacity = capacity;
  }
  module->hosts[module->count++] = host;
  return 1;
}

static void add(Symbol symbol) {
  if (symbol.host == NULL || symbol.host == TOMBSTONE) return;
  pthread_mutex_lock(&lock);
  if ((filled * 2 < slots || grow()) && remember(symbol.module, symbol.host)) place(symbol);
  pthread_mutex_unlock(&lock);
}

EmuModule* emu_module_register(const void* fat_binary_wrapper) {
  emu_process();  // a process with kernels may be a rank of others
  EmuModule* module = calloc(1, sizeof *module);
  if (module == NULL) return NULL;
  module->wrapper = fat_binary_wrapper;
  module->architecture = -1;
  return module;
}

void emu_module_unregister(EmuModule* module) {
  if (module == NULL) return;
  pthread_mutex_lock(&lock);
  for (uint64_t i = 0; i < module->count; ++i) {
    Symbol* symbol = look_up(module->hosts[i]);
    if (symbol == NULL || symbol->module != module) continue;
    if (symbol->address != 0) emu_device_free(symbol->address, EMU_SYMBOL);
    *symbol = (Symbol){TOMBSTONE, NULL, NULL, 0, 0};
  }
  pthread_mutex_unlock(&lock);
  free(module->hosts);
  free(module);
}

void emu_kernel_register(EmuModule* module, const void* host, const char* name) {
  add((Symbol){host, module, name, 0, 0});
}

void emu_variable_register(EmuModule* module, const void* host, const char* name, uint64_t bytes) {
  add((Symbol){host, module, name, bytes == 0 ? 1 : bytes, 0});
}

// The fat binary as nvcc writes it (CUDA's fatbinary_section.h and the output of cuobjdump): a
// wrapper {0x466243b1, version, pointer}, at the pointer a header {0xBA55ED50, u16 version, u16
// header size, u64 size} and behind it entries {u16 kind, u16, u32 header size, u64 size, ..., u32
// architecture at byte 28}.
enum { WRAPPER_MAGIC = 0x466243b1, PTX = 1, MACHINE_CODE = 2, ENTRY_BYTES = 32 };
#define FAT_BINARY_MAGIC 0xBA55ED50u

static uint32_t u32_at(const unsigned char* at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

static uint64_t u64_at(const unsigned char* at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

// Machine code runs on GPUs of its major and no earlier minor, PTX is compiled for any GPU that is
// not older.
static int best_entry(const unsigned char* at, const unsigned char* end, int own) {
  int best = 0, entries = 0, compilable = 0;
  while (at + ENTRY_BYTES <= end) {
    const int kind = (int)(u32_at(at) & 0xffff), architecture = (int)u32_at(at + 28);
    const int runs = architecture / 10 == own / 10 && architecture <= own;
    if (kind == MACHINE_CODE && runs && architecture > best) best = architecture;
    if (kind == PTX && architecture <= own) compilable = 1;
    ++entries;
    const uint64_t entry_bytes = u32_at(at + 4) + u64_at(at + 8);
    if (entry_bytes < ENTRY_BYTES) break;
    at += entry_bytes;
  }
  return best != 0 || (entries > 0 && !compilable) ? best : own;
}

static int best_architecture(const void* wrapper) {
  const EmuProfile* profile = emu_profile();
  if (profile == NULL) return 0;
  const int own = profile->compute_major * 10 + profile->compute_minor;
  if (wrapper == NULL || u32_at(wrapper) != WRAPPER_MAGIC) return own;
  const unsigned char* at =
      (const unsigned char*)(uintptr_t)u64_at((const unsigned char*)wrapper + 8);
  if (at == NULL || u32_at(at) != FAT_BINARY_MAGIC) return own;
  const uint64_t header_bytes = u32_at(at + 4) >> 16;
  return best_entry(at + header_bytes, at + header_bytes + u64_at(at + 8), own);
}

EmuKernel emu_kernel(const void* host) {
  EmuKernel kernel = {NULL, 0};
  pthread_mutex_lock(&lock);
  const Symbol* symbol = look_up(host);
  if (symbol != NULL && symbol->bytes == 0) {
    EmuModule* module = symbol->module;
    if (module != NULL && module->architecture < 0)
      module->architecture = best_architecture(module->wrapper);
    kernel =
        (EmuKernel){symbol->name, module == NULL ? best_architecture(NULL) : module->architecture};
  } else {
    kernel.architecture = best_architecture(NULL);
  }
  pthread_mutex_unlock(&lock);
  return kernel;
}

uint64_t emu_variable(const void* host, uint64_t* bytes) {
  uint64_t address = 0;
  pthread_mutex_lock(&lock);
  Symbol* symbol = look_up(host);
  if (symbol != NULL && symbol->bytes > 0) {
    if (symbol->address == 0) {
      emu_device_allocate(emu_current_device(), symbol->bytes, EMU_SYMBOL, &symbol->address);
    }
    address = symbol->address;
    if (bytes != NULL) *bytes = symbol->bytes;
  }
  pthread_mutex_unlock(&lock);
  return address;
}
