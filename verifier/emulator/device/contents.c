#include "verifier/emulator/device/contents.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "verifier/emulator/device/deferred.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/report.h"

// A shadow of the device's address range, as large and lazily backed by the host: device address a
// lives at shadow + (a - start). `kept` has a bit for each 4 KiB page that may hold something other
// than zero, `counts` the number of such pages in each 2 MiB, so that clearing gigabytes that hold
// nothing costs a few reads.
enum { PAGE = 4096, PAGES_PER_GROUP = EMU_PAGE_BYTES / PAGE };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned char* shadow;  // null: nothing can be kept
static unsigned char* kept;
static unsigned char* known;  // a bit for each byte of the shadow; null without a log
static uint16_t* counts;
static uint64_t start, size, kept_pages;

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

static void* lazily_backed(uint64_t bytes) {
  void* at =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return NULL;
  madvise(at, bytes, MADV_DONTDUMP);
  return at;
}

static void make_shadow(void) {
  pthread_atfork(before_fork, after_fork, after_fork);
  start = emu_space_start();
  size = emu_space_bytes();
  shadow = lazily_backed(size);
  kept = lazily_backed(size / PAGE / 8 + 1);
  counts = lazily_backed((size / EMU_PAGE_BYTES + 1) * sizeof *counts);
  if (emu_logging()) {
    known = lazily_backed(size / 8 + 1);
    if (known == NULL) emu_say("reads of computed values are not told (address space limit)");
  }
  if (shadow != NULL && kept != NULL && counts != NULL) return;
  shadow = NULL;
  emu_say(
      "copies to the device cannot be kept (address space or overcommit limit); they read back as "
      "zero");
}

static int is_kept(uint64_t page) { return kept[page / 8] >> (page % 8) & 1; }

static void mark(uint64_t page) {
  if (is_kept(page)) return;
  kept[page / 8] |= (unsigned char)(1 << page % 8);
  ++counts[page / PAGES_PER_GROUP];
  ++kept_pages;
}

static void unmark(uint64_t page) {
  kept[page / 8] &= (unsigned char)~(1 << page % 8);
  --counts[page / PAGES_PER_GROUP];
  --kept_pages;
}

// Sets or clears the bits of [from, to).
static void set_known(uint64_t from, uint64_t to, int value) {
  if (known == NULL) return;
  for (; from < to && from % 8 != 0; ++from)
    known[from / 8] =
        (unsigned char)((known[from / 8] & ~(1u << from % 8)) | (unsigned)value << from % 8);
  if (to - from >= 8) memset(known + from / 8, value ? 0xff : 0, (to - from) / 8);
  for (from += (to - from) / 8 * 8; from < to; ++from)
    known[from / 8] =
        (unsigned char)((known[from / 8] & ~(1u << from % 8)) | (unsigned)value << from % 8);
}

// Zeroes [from, to) of one page; a page covered as a whole goes back to the host.
static void clear_page(uint64_t page, uint64_t from, uint64_t to) {
  set_known(from, to, 0);
  if (to - from < PAGE) {
    memset(shadow + from, 0, to - from);
    return;
  }
  madvise(shadow + page * PAGE, PAGE, MADV_DONTNEED);
  unmark(page);
}

static void clear_offsets(uint64_t from, uint64_t to) {
  for (uint64_t at = from; at < to;) {
    const uint64_t page = at / PAGE;
    const uint64_t group_end = (at / EMU_PAGE_BYTES + 1) * EMU_PAGE_BYTES;
    if (counts[page / PAGES_PER_GROUP] == 0) {
      at = group_end;
      continue;
    }
    const uint64_t page_end = (page + 1) * PAGE < to ? (page + 1) * PAGE : to;
    if (is_kept(page)) clear_page(page, at, page_end);
    at = page_end;
  }
}

// Turns an address range into offsets into the shadow; false when it is empty or not ours.
static int offsets(uint64_t at, uint64_t bytes, uint64_t* from, uint64_t* to) {
  pthread_once(&once, make_shadow);
  if (shadow == NULL || bytes == 0 || at < start || at - start >= size) return 0;
  *from = at - start;
  *to = bytes < size - *from ? *from + bytes : size;
  return 1;
}

// Makes [from, to) writable in the shadow; false when it is too much to keep, with the range
// cleared.
static int open_offsets(uint64_t from, uint64_t to) {
  const uint64_t pages = (to - from) / PAGE + 2;
  if (to - from > EMU_KEPT_BYTES || kept_pages + pages > EMU_ALL_KEPT_BYTES / PAGE) {
    clear_offsets(from, to);
    emu_add(&emu_report()->unbacked_copies, 1);
    return 0;
  }
  for (uint64_t page = from / PAGE; page <= (to - 1) / PAGE; ++page) mark(page);
  return 1;
}

// --- What has to wait for contents that are not there yet (deferred.h)

typedef enum { WRITE, COPY, FILL, CLEAR } Change;
typedef struct {
  EmuDeferred work;
  Change change;
  uint64_t pattern_bytes;
  unsigned char data[];  // to write, or the pattern
} LaterChange;

static void change_now(EmuDeferred* work) {
  LaterChange* later = (LaterChange*)work;
  const EmuSpan to = work->writes;
  if (!work->drop) {
    switch (later->change) {
      case WRITE: emu_contents_write(to.start, later->data, to.bytes); break;
      case COPY: emu_contents_copy(to.start, work->reads.start, to.bytes); break;
      case FILL: emu_contents_fill(to.start, later->data, later->pattern_bytes, to.bytes); break;
      case CLEAR: emu_contents_clear(to.start, to.bytes); break;
    }
  }
  free(later);
}

// True when the change was put off.
static int put_off(Change change, EmuSpan to, EmuSpan from, const void* data, uint64_t data_bytes) {
  if (!emu_must_defer(from, to)) return 0;
  LaterChange* later = calloc(1, sizeof *later + data_bytes);
  if (later == NULL) return 0;
  later->work = (EmuDeferred){.reads = from, .writes = to, .lane = -1, .run = change_now};
  later->change = change;
  later->pattern_bytes = data_bytes;
  if (data_bytes > 0) memcpy(later->data, data, data_bytes);
  emu_defer(&later->work);
  return 1;
}

static const EmuSpan nothing = {0, 0};

void emu_contents_write(uint64_t to, const void* from, uint64_t bytes) {
  uint64_t first, last;
  const int keep = bytes <= EMU_KEPT_BYTES;
  if (put_off(keep ? WRITE : CLEAR, (EmuSpan){to, bytes}, nothing, from, keep ? bytes : 0)) return;
  if (!offsets(to, bytes, &first, &last)) return;
  pthread_mutex_lock(&lock);
  if (open_offsets(first, last)) {
    memcpy(shadow + first, from, last - first);
    set_known(first, last, 1);
  }
  pthread_mutex_unlock(&lock);
}

// Copies what is kept of [first, last) over zeros that are already at `to`. The lock is held.
static void read_kept(unsigned char* to, uint64_t first, uint64_t last) {
  for (uint64_t at = first; at < last;) {
    const uint64_t page = at / PAGE;
    if (counts[page / PAGES_PER_GROUP] == 0) {
      at = (at / EMU_PAGE_BYTES + 1) * EMU_PAGE_BYTES;
      continue;
    }
    const uint64_t page_end = (page + 1) * PAGE < last ? (page + 1) * PAGE : last;
    if (is_kept(page)) memcpy(to + (at - first), shadow + at, page_end - at);
    at = page_end;
  }
}

void emu_contents_read(void* to, uint64_t from, uint64_t bytes) {
  emu_wait_for_contents((EmuSpan){from, bytes});
  memset(to, 0, bytes);
  uint64_t first, last;
  if (!offsets(from, bytes, &first, &last)) return;
  pthread_mutex_lock(&lock);
  read_kept(to, first, last);
  pthread_mutex_unlock(&lock);
}

int emu_contents_any(uint64_t at, uint64_t bytes) {
  uint64_t first, last;
  int any = 0;
  if (!offsets(at, bytes, &first, &last)) return 0;
  pthread_mutex_lock(&lock);
  for (uint64_t offset = first; offset < last && !any;) {
    const uint64_t page = offset / PAGE;
    if (counts[page / PAGES_PER_GROUP] == 0) {
      offset = (offset / EMU_PAGE_BYTES + 1) * EMU_PAGE_BYTES;
      continue;
    }
    any = is_kept(page);
    offset = (page + 1) * PAGE;
  }
  pthread_mutex_unlock(&lock);
  return any;
}

void emu_contents_copy(uint64_t to, uint64_t from, uint64_t bytes) {
  if (bytes == 0 || to == from) return;
  if (put_off(COPY, (EmuSpan){to, bytes}, (EmuSpan){from, bytes}, NULL, 0)) return;
  if (bytes > EMU_KEPT_BYTES) {
    emu_contents_clear(to, bytes);
    return;
  }
  void* between = malloc(bytes);
  if (between == NULL) return;
  emu_contents_read(between, from, bytes);
  emu_contents_write(to, between, bytes);
  free(between);
  emu_contents_know_as(to, from, bytes);
}

void emu_contents_fill(uint64_t at, const void* pattern, uint64_t pattern_bytes, uint64_t bytes) {
  uint64_t first, last;
  if (put_off(FILL, (EmuSpan){at, bytes}, nothing, pattern, pattern_bytes)) return;
  if (!offsets(at, bytes, &first, &last)) return;
  int zero = 1;
  for (uint64_t i = 0; i < pattern_bytes; ++i) zero &= ((const unsigned char*)pattern)[i] == 0;
  pthread_mutex_lock(&lock);
  if (zero) {
    clear_offsets(first, last);
    if (known != NULL && last - first <= EMU_KEPT_BYTES && open_offsets(first, last))
      set_known(first, last, 1);
  } else if (open_offsets(first, last)) {
    for (uint64_t i = first; i + pattern_bytes <= last; i += pattern_bytes)
      memcpy(shadow + i, pattern, pattern_bytes);
    set_known(first, last, 1);
  }
  pthread_mutex_unlock(&lock);
}

void emu_contents_clear(uint64_t at, uint64_t bytes) {
  uint64_t first, last;
  if (put_off(CLEAR, (EmuSpan){at, bytes}, nothing, NULL, 0)) return;
  if (!offsets(at, bytes, &first, &last)) return;
  pthread_mutex_lock(&lock);
  clear_offsets(first, last);
  pthread_mutex_unlock(&lock);
}

// The lock is held.
static int is_known(uint64_t at) { return known[at / 8] >> (at % 8) & 1; }

static int are_known(uint64_t from, uint64_t to) {
  for (; from < to && from % 8 != 0; ++from) {
    if (!is_known(from)) return 0;
  }
  for (; from + 8 <= to; from += 8) {
    if (known[from / 8] != 0xff) return 0;
  }
  for (; from < to; ++from) {
    if (!is_known(from)) return 0;
  }
  return 1;
}

int emu_contents_known(uint64_t at, uint64_t bytes) {
  uint64_t first, last;
  if (!offsets(at, bytes, &first, &last) || known == NULL) return 1;
  pthread_mutex_lock(&lock);
  const int result = are_known(first, last);
  pthread_mutex_unlock(&lock);
  return result;
}

void emu_contents_forget(uint64_t at, uint64_t bytes) {
  uint64_t first, last;
  if (!offsets(at, bytes, &first, &last) || known == NULL) return;
  pthread_mutex_lock(&lock);
  set_known(first, last, 0);
  pthread_mutex_unlock(&lock);
}

void emu_contents_know_as(uint64_t to, uint64_t from, uint64_t bytes) {
  uint64_t to_first, to_last, from_first, from_last;
  if (!offsets(to, bytes, &to_first, &to_last) || known == NULL) return;
  if (!offsets(from, bytes, &from_first, &from_last)) return;
  pthread_mutex_lock(&lock);
  if (bytes > EMU_KEPT_BYTES) {
    set_known(to_first, to_last, 0);
  } else if (!are_known(from_first, from_last)) {
    // Scalars and small parts are told apart byte by byte; for the rest, unknown in part is
    // unknown.
    const int exactly = bytes <= PAGE && (to_last <= from_first || from_last <= to_first);
    if (!exactly) set_known(to_first, to_last, 0);
    for (uint64_t i = 0; exactly && i < bytes; ++i)
      set_known(to_first + i, to_first + i + 1, is_known(from_first + i));
  }
  pthread_mutex_unlock(&lock);
}
