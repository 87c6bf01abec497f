// A thread that is in C keeps its Python frames as they are, whether it holds the lock or not, so
// that it may read its own. CPython has no function for that: they are read by the offsets of each
// version, and only after what is read that way was found equal to what CPython's API says.
#include "verifier/emulator/device/python_site.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "verifier/emulator/device/events.h"
#include "verifier/emulator/device/python_api.h"
#include "verifier/emulator/device/report.h"

enum { MAX_FRAMES = 100, CACHE_SLOTS = 1 << 14, MAX_TEXT = 4096 };

// Offsets in bytes, of 64-bit builds.
typedef struct {
  int minor;
  int thread_frame;  // of PyThreadState: the current frame, or what holds it
  int holder_frame;  // where the holder has it; -1: there is none
  int frame_code, frame_back, frame_instruction, frame_owner;  // owner -1: there is none
  int foreign_owner;  // frames of this owner and above run no Python code
  int code_bytes;     // first instruction in the code object; -1: instructions are an int index
  int code_file, code_name, code_line, code_table;
} Layout;

// Include/cpython/{pystate,code}.h, Include/internal/pycore_frame.h and, for 3.10,
// Include/cpython/frameobject.h of CPython 3.10.13, 3.11.7, 3.12.1, 3.13.0, by offsetof.
static const Layout layouts[] = {
    {10, 24, -1, 32, 24, 96, -1, 0, -1, 104, 112, 40, 120},
    {11, 56, 8, 32, 48, 56, 69, 3, 184, 112, 128, 72, 136},
    {12, 56, 0, 0, 8, 56, 70, 3, 192, 112, 128, 68, 136},
    {13, 72, -1, 0, 8, 56, 70, 3, 200, 112, 128, 68, 136},
};

typedef struct {
  uint64_t code;
  int instruction;  // in bytes
} Frame;

enum { UNKNOWN, TRUSTED, DISTRUSTED };
static int trust;
static Layout layout;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// hash & ~0xffff | site, by the hash of a stack.
static uint64_t cache[CACHE_SLOTS];

void emu_python_sites_forget(void) {
  pthread_mutex_init(&lock, NULL);
  memset(cache, 0, sizeof cache);
}

// --- Reading

// What is trusted is read as it is; what is not yet, through a pipe, for the kernel survives a
// wrong address.
typedef int Read(uint64_t address, void* to, size_t bytes);

static int read_plainly(uint64_t address, void* to, size_t bytes) {
  memcpy(to, (const void*)(uintptr_t)address, bytes);
  return 1;
}

static int checking_pipe[2] = {-1, -1};
static int read_safely(uint64_t address, void* to, size_t bytes) {
  return write(checking_pipe[1], (const void*)(uintptr_t)address, bytes) == (ssize_t)bytes &&
         read(checking_pipe[0], to, bytes) == (ssize_t)bytes;
}

static inline __attribute__((always_inline)) uint64_t word(Read read, uint64_t address,
                                                           int* failed) {
  uint64_t value = 0;
  if (!read(address, &value, sizeof value)) *failed = 1;
  return value;
}

static inline __attribute__((always_inline)) int number(Read read, uint64_t address, int* failed) {
  int value = 0;
  if (!read(address, &value, sizeof value)) *failed = 1;
  return value;
}

static inline __attribute__((always_inline)) int is_foreign(Read read, const Layout* in,
                                                            uint64_t frame, int* failed) {
  unsigned char owner = 0;
  if (in->frame_owner < 0) return 0;
  if (!read(frame + (uint64_t)in->frame_owner, &owner, 1)) *failed = 1;
  return owner >= in->foreign_owner;
}

// The frames of a thread, innermost first; -1 when one cannot be read.
static inline __attribute__((always_inline)) int walk(Read read, const Layout* in, uint64_t thread,
                                                      Frame frames[]) {
  int failed = 0, count = 0;
  uint64_t frame = word(read, thread + (uint64_t)in->thread_frame, &failed);
  if (in->holder_frame >= 0 && !failed)
    frame = word(read, frame + (uint64_t)in->holder_frame, &failed);
  while (frame != 0 && count < MAX_FRAMES && !failed) {
    const uint64_t back = word(read, frame + (uint64_t)in->frame_back, &failed);
    if (!is_foreign(read, in, frame, &failed)) {
      // The low bits of a 3.14 reference are flags.
      const uint64_t code = word(read, frame + (uint64_t)in->frame_code, &failed) & ~3ull;
      const uint64_t at = frame + (uint64_t)in->frame_instruction;
      const int instruction =
          in->code_bytes < 0 ? 2 * number(read, at, &failed)
                             : (int)(word(read, at, &failed) - code - (uint64_t)in->code_bytes);
      // A frame before its first instruction is being made; CPython's API leaves it out.
      if (instruction >= 0) frames[count++] = (Frame){code, instruction};
    }
    frame = back;
  }
  return failed ? -1 : count;
}

// --- Trust

// The same by CPython's API; the lock is held. Lines as well, for they are what counts.
static int walk_api(const EmuPython* py, Frame frames[], int lines[]) {
  EmuPyObject* frame = py->PyEval_GetFrame();
  int count = 0, owned = 0;
  while (frame != NULL && count < MAX_FRAMES) {
    EmuPyObject* code = py->PyFrame_GetCode(frame);
    frames[count].code = (uint64_t)(uintptr_t)code;
    lines[count++] = py->PyFrame_GetLineNumber(frame);
    py->Py_DecRef(code);  // the frame keeps it
    EmuPyObject* back = py->PyFrame_GetBack(frame);
    if (owned) py->Py_DecRef(frame);
    frame = back;
    owned = 1;
  }
  if (frame != NULL && owned) py->Py_DecRef(frame);
  return count;
}

static int agrees(const EmuPython* py, const Layout* in) {
  Frame raw[MAX_FRAMES], told[MAX_FRAMES];
  int lines[MAX_FRAMES];
  const uint64_t thread = (uint64_t)(uintptr_t)py->PyGILState_GetThisThreadState();
  const int told_count = walk_api(py, told, lines), count = walk(read_safely, in, thread, raw);
  if (count != told_count) return 0;
  for (int i = 0; i < count; ++i) {
    if (raw[i].code != told[i].code) return 0;
    if (py->PyCode_Addr2Line((EmuPyObject*)(uintptr_t)raw[i].code, raw[i].instruction) != lines[i])
      return 0;
  }
  return 1;
}

// CPython 3.14 and later publish their offsets: _PyRuntime starts with the words of struct
// _Py_DebugOffsets (Include/internal/pycore_debug_offsets.h). The number of words of the
// interpreter's part differs among its releases.
static Layout published_layout(int minor, int interpreter_words) {
  const uint64_t* words = dlsym(RTLD_DEFAULT, "_PyRuntime");
  Layout found = {.minor = minor, .holder_frame = -1, .foreign_owner = 3};
  if (words == NULL || memcmp(words, "xdebugpy", 8) != 0) return found;
  const uint64_t* thread = words + 6 + interpreter_words;
  const uint64_t *frame = thread + 9, *code = frame + 6;
  found.thread_frame = (int)thread[4];
  found.frame_back = (int)frame[1];
  found.frame_code = (int)frame[2];
  found.frame_instruction = (int)frame[3];
  found.frame_owner = (int)frame[5];
  found.code_file = (int)code[1];
  found.code_name = (int)code[3];
  found.code_table = (int)code[4];
  found.code_line = (int)code[5];
  found.code_bytes = (int)code[9];
  return found;
}

static int search_layout(const EmuPython* py, Layout* found) {
  const char* version = py->Py_GetVersion();
  if (strncmp(version, "3.", 2) != 0) return 0;
  const int minor = atoi(version + 2);
  for (size_t i = 0; i < sizeof layouts / sizeof *layouts; ++i) {
    *found = layouts[i];
    if (found->minor == minor && agrees(py, found)) return 1;
  }
  for (int words = 11; minor >= 14 && words <= 20; ++words) {
    *found = published_layout(minor, words);
    if (found->thread_frame > 0 && found->thread_frame < 4096 && agrees(py, found)) return 1;
  }
  return 0;
}

static int find_layout(const EmuPython* py, Layout* found) {
  if (pipe2(checking_pipe, O_CLOEXEC) != 0) return 0;
  const int result = search_layout(py, found);
  close(checking_pipe[0]);
  close(checking_pipe[1]);
  return result;
}

void emu_python_site_prepare(void) {
  if (__atomic_load_n(&trust, __ATOMIC_ACQUIRE) != UNKNOWN) return;
  const EmuPython* py = emu_python();
  if (py == NULL || !py->PyGILState_Check() || py->PyEval_GetFrame() == NULL) return;
  pthread_mutex_lock(&lock);
  if (trust == UNKNOWN) {
    const int found = find_layout(py, &layout);
    if (!found) {
      emu_say(
          "call sites are partial: this Python's frames cannot be read without its lock (version "
          "%.20s)",
          py->Py_GetVersion());
    }
    __atomic_store_n(&trust, found ? TRUSTED : DISTRUSTED, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&lock);
}

// --- Sites

// A str as UTF-8, by functions that make no object.
static const char* text_of(const EmuPython* py, uint64_t object, char* to) {
  EmuPyObject* text = (EmuPyObject*)(uintptr_t)object;
  const ptrdiff_t length = py->PyUnicode_GetLength(text);
  char* at = to;
  for (ptrdiff_t i = 0; i < length && at < to + MAX_TEXT - 5; ++i) {
    const unsigned c = py->PyUnicode_ReadChar(text, i);
    if (c < 0x80) {
      *at++ = (char)c;
    } else if (c < 0x800) {
      *at++ = (char)(0xc0 | c >> 6);
      *at++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
      *at++ = (char)(0xe0 | c >> 12);
      *at++ = (char)(0x80 | (c >> 6 & 0x3f));
      *at++ = (char)(0x80 | (c & 0x3f));
    } else {
      *at++ = (char)(0xf0 | c >> 18);
      *at++ = (char)(0x80 | (c >> 12 & 0x3f));
      *at++ = (char)(0x80 | (c >> 6 & 0x3f));
      *at++ = (char)(0x80 | (c & 0x3f));
    }
  }
  *at = '\0';
  return to;
}

static uint64_t at(uint64_t object, int offset) {
  uint64_t value;
  memcpy(&value, (const void*)(uintptr_t)(object + (uint64_t)offset), sizeof value);
  return value;
}

static uint32_t intern(const EmuPython* py, const Layout* in, uint32_t caller, const Frame frames[],
                       int count) {
  char text[MAX_TEXT];
  uint32_t site = caller;
  for (int i = count - 1; i >= 0; --i) {
    const uint64_t code = frames[i].code;
    const uint32_t file = emu_log_name(text_of(py, at(code, in->code_file), text));
    const uint32_t function = emu_log_name(text_of(py, at(code, in->code_name), text));
    const int line = py->PyCode_Addr2Line((EmuPyObject*)(uintptr_t)code, frames[i].instruction);
    site = emu_log_site(site, file, function, line > 0 ? (uint32_t)line : 0, 0);
  }
  return site;
}

// A code object may have died and another have its address: its name, table and first line are part
// of what is compared.
static uint64_t hash_of(const Layout* in, uint32_t caller, const Frame frames[], int count) {
  uint64_t hash = caller + 1;
  for (int i = 0; i < count; ++i) {
    const uint64_t code = frames[i].code;
    const uint64_t what = code ^ (uint64_t)(uint32_t)frames[i].instruction << 48;
    const uint64_t check = at(code, in->code_table) ^ at(code, in->code_name) << 16 ^
                           (at(code, in->code_line) & 0xffffffff);
    hash = (hash ^ what) * 0x9e3779b97f4a7c15ull;
    hash = (hash ^ hash >> 31 ^ check) * 0xc2b2ae3d27d4eb4full;
    hash ^= hash >> 29;
  }
  return hash;
}

static uint32_t cached(const EmuPython* py, uint32_t caller, const Frame frames[], int count) {
  const uint64_t hash = hash_of(&layout, caller, frames, count);
  uint64_t* slot = &cache[hash % CACHE_SLOTS];  // the low bits; the entry keeps the high ones
  const uint64_t entry = __atomic_load_n(slot, __ATOMIC_RELAXED);
  if (entry >> 16 == hash >> 16 && (entry & 0xffff) != 0) return entry & 0xffff;
  const uint32_t site = intern(py, &layout, caller, frames, count);
  __atomic_store_n(slot, (hash >> 16) << 16 | site, __ATOMIC_RELAXED);
  return site;
}

// Where frames cannot be read raw.
static int site_by_api(const EmuPython* py, uint32_t caller, uint32_t* site) {
  if (!py->PyGILState_Check()) return 0;
  *site = caller;
  Frame frames[MAX_FRAMES];
  int lines[MAX_FRAMES];
  char text[MAX_TEXT];
  for (int i = walk_api(py, frames, lines) - 1; i >= 0; --i) {
    EmuPyObject* code = (EmuPyObject*)(uintptr_t)frames[i].code;
    EmuPyObject* file = py->PyObject_GetAttrString(code, "co_filename");
    EmuPyObject* name = py->PyObject_GetAttrString(code, "co_name");
    const uint32_t file_name =
        file == NULL ? 0 : emu_log_name(text_of(py, (uint64_t)(uintptr_t)file, text));
    const uint32_t function =
        name == NULL ? 0 : emu_log_name(text_of(py, (uint64_t)(uintptr_t)name, text));
    if (file != NULL) py->Py_DecRef(file);
    if (name != NULL) py->Py_DecRef(name);
    *site = emu_log_site(*site, file_name, function, (uint32_t)lines[i], 0);
  }
  return 1;
}

int emu_python_site(uint32_t caller, int may_use_api, uint32_t* site) {
  const EmuPython* py = emu_python();
  if (py == NULL) return 0;
  void* thread = py->PyGILState_GetThisThreadState();
  if (thread == NULL) {
    *site = caller;
    return 1;
  }
  if (may_use_api) emu_python_site_prepare();
  if (__atomic_load_n(&trust, __ATOMIC_ACQUIRE) != TRUSTED)
    return may_use_api && site_by_api(py, caller, site);
  Frame frames[MAX_FRAMES];
  const int count = walk(read_plainly, &layout, (uint64_t)(uintptr_t)thread, frames);
  *site = count == 0 ? caller : cached(py, caller, frames, count);
  return 1;
}
