#include "verifier/emulator/device/native_site.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <unwind.h>

#include "verifier/emulator/device/events.h"

enum { MAX_FRAMES = 64, MAX_RANGES = 8, CACHE_SLOTS = 1 << 13, MAX_SCANNED_BYTES = 64 << 10 };

// Code of the user's: the program and its own libraries.
typedef struct {
  uint64_t start, size;
} Range;
static Range ranges[MAX_RANGES];
static int range_count;             // -1: too many to look for
static unsigned long long objects;  // loaded when they were listed
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// hash & ~0xffff | site, by the hash of a stack.
static uint64_t cache[CACHE_SLOTS];

void emu_native_sites_forget(void) {
  pthread_mutex_init(&lock, NULL);
  memset(cache, 0, sizeof cache);
}

static const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static int starts_with(const char* text, const char* prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

static int is_system(const char* path) {
  const char* name = base_name(path);
  return starts_with(name, "libc.") || starts_with(name, "ld-") || starts_with(name, "libpthread");
}

// Libraries whose frames say nothing about the program.
static int is_library(const char* path) {
  static const char* const names[] = {
      "libtorch", "libc10",      "libforerun_", "libcud",    "libcublas", "libnccl",  "libcusparse",
      "libcufft", "libcusolver", "libnv",       "libstdc++", "libgcc_s",  "libm.",    "libgomp",
      "libcupti", "linux-vdso",  "libdl.",      "librt.",    "libcurand", "libcufile"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (starts_with(base_name(path), names[i])) return 1;
  }
  return is_system(path);
}

// --- The code of the user's

typedef struct {
  Range found[MAX_RANGES];
  int count;
  unsigned long long objects;
} Listing;

static int list_object(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  Listing* listing = data;
  listing->objects = info->dlpi_adds + info->dlpi_subs;
  if (is_library(info->dlpi_name)) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
    if (listing->count < 0 || listing->count == MAX_RANGES) {
      listing->count = -1;
      return 0;
    }
    listing->found[listing->count++] = (Range){info->dlpi_addr + part->p_vaddr, part->p_memsz};
  }
  return 0;
}

static int count_objects(struct dl_phdr_info* info, size_t size, void* data) {
  (void)size;
  *(unsigned long long*)data = info->dlpi_adds + info->dlpi_subs;
  return 1;
}

// Whether what is loaded is what it was; otherwise lists it anew and forgets what was cached.
static void look_again(void) {
  unsigned long long now = 0;
  dl_iterate_phdr(count_objects, &now);
  if (now == objects) return;
  pthread_mutex_lock(&lock);
  Listing listing = {.count = 0};
  dl_iterate_phdr(list_object, &listing);
  memset(cache, 0, sizeof cache);
  if (listing.count > 0) memcpy(ranges, listing.found, sizeof ranges);
  __atomic_store_n(&range_count, listing.count, __ATOMIC_RELEASE);
  objects = listing.objects;
  pthread_mutex_unlock(&lock);
}

// --- Recognising a stack

// Of the main thread, where the loader put the arguments (glibc); behind it are only strings.
extern void* __libc_stack_end;

static uint64_t end_of_stack(void) {
  static __thread uint64_t end;
  pthread_attr_t attributes;
  if (end == 0 && pthread_getattr_np(pthread_self(), &attributes) == 0) {
    void* start = NULL;
    size_t size = 0;
    pthread_attr_getstack(&attributes, &start, &size);
    pthread_attr_destroy(&attributes);
    end = (uint64_t)(uintptr_t)start + size;
    const uint64_t first = (uint64_t)(uintptr_t)__libc_stack_end;
    if (first < end && end - first < size) end = first;
  }
  return end;
}

// Two stacks with the same words that point into the user's code, at the same places, have the same
// frames of the user's: return addresses are among them. What else is among them only makes the
// hash differ where it need not. 0: cannot be told.
// It reads what belongs to other functions, which a sanitizer would object to.
__attribute__((no_sanitize("address"))) static uint64_t hash_of_stack(uint32_t caller) {
  const uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0) & ~7ull;
  const uint64_t end = end_of_stack();
  const int count = __atomic_load_n(&range_count, __ATOMIC_ACQUIRE);
  if (count <= 0 || end <= here || end - here > MAX_SCANNED_BYTES) return 0;
  const uint64_t* words = (const uint64_t*)(uintptr_t)here;
  const uint64_t length = (end - here) / 8;
  uint64_t hash = here ^ (uint64_t)caller << 48;
  for (int range = 0; range < count; ++range) {
    const uint64_t start = ranges[range].start, size = ranges[range].size;
    for (uint64_t i = 0; i < length; ++i) {
      if (words[i] - start >= size) continue;
      hash = (hash ^ words[i] ^ i << 48) * 0x9e3779b97f4a7c15ull;
      hash ^= hash >> 29;
    }
  }
  return hash | 1;
}

// --- Unwinding

typedef struct {
  uint64_t address;  // of the call
  Dl_info object;
  const ElfW(Sym) * symbol;
} Frame;

typedef struct {
  Frame frames[MAX_FRAMES];
  int count;
} Stack;

static _Unwind_Reason_Code add_frame(struct _Unwind_Context* context, void* data) {
  Stack* stack = data;
  const uint64_t address = (uint64_t)_Unwind_GetIP(context);
  if (address == 0 || stack->count == MAX_FRAMES) return _URC_END_OF_STACK;
  Frame* frame = &stack->frames[stack->count];
  frame->address = address - 1;  // it returns behind the call
  frame->symbol = NULL;
  if (dladdr1((void*)(uintptr_t)frame->address, &frame->object, (void**)&frame->symbol,
              RTLD_DL_SYMENT) == 0)
    return _URC_NO_REASON;  // code made at run time
  ++stack->count;
  return _URC_NO_REASON;
}

// The nearest symbol below an address is the function's only when it reaches that far.
static const char* function_of(const Frame* frame) {
  if (frame->symbol == NULL || frame->object.dli_sname == NULL) return NULL;
  const uint64_t start = (uint64_t)(uintptr_t)frame->object.dli_saddr;
  return frame->address - start < frame->symbol->st_size ? frame->object.dli_sname : NULL;
}

static uint32_t intern(uint32_t caller) {
  Stack stack = {.count = 0};
  _Unwind_Backtrace(add_frame, &stack);
  int inner = 0, outer = stack.count;
  while (inner < outer && is_library(stack.frames[inner].object.dli_fname)) ++inner;
  // The program's entry point is called by nobody and calls the C library.
  if (outer - inner >= 2 && is_system(stack.frames[outer - 2].object.dli_fname)) --outer;
  while (outer > inner && is_system(stack.frames[outer - 1].object.dli_fname)) --outer;
  uint32_t site = caller;
  for (int i = outer - 1; i >= inner; --i) {
    const Frame* frame = &stack.frames[i];
    const uint64_t offset = frame->address - (uint64_t)(uintptr_t)frame->object.dli_fbase;
    site = emu_log_site(site, emu_log_name(frame->object.dli_fname),
                        emu_log_name(function_of(frame)), 0, offset);
  }
  return site;
}

uint32_t emu_native_site(uint32_t caller) {
  uint64_t hash = hash_of_stack(caller);
  uint64_t* slot = &cache[hash % CACHE_SLOTS];
  const uint64_t entry = hash == 0 ? 0 : __atomic_load_n(slot, __ATOMIC_RELAXED);
  if (hash != 0 && entry >> 16 == hash >> 16 && (entry & 0xffff) != 0) return entry & 0xffff;
  look_again();
  hash = hash_of_stack(caller);
  slot = &cache[hash % CACHE_SLOTS];
  const uint32_t site = intern(caller);
  if (hash != 0) __atomic_store_n(slot, (hash >> 16) << 16 | site, __ATOMIC_RELAXED);
  return site;
}
