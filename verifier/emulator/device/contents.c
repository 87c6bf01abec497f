#include "verifier/emulator/device/contents.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

// Zeroes [from, to) of one page; a page covered as a whole goes back to the host.
static void clear_page(uint64_t page, uint64_t from, uint64_t to) {
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

void emu_contents_write(uint64_t to, const void* from, uint64_t bytes) {
  uint64_t first, last;
  if (!offsets(to, bytes, &first, &last)) return;
  pthread_mutex_lock(&lock);
  if (open_offsets(first, last)) memcpy(shadow + first, from, last - first);
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
  memset(to, 0, bytes);
  uint64_t first, last;
  if (!offsets(from, bytes, &first, &last)) return;
  pthread_mutex_lock(&lock);
  read_kept(to, first, last);
  pthread_mutex_unlock(&lock);
}

void emu_contents_copy(uint64_t to, uint64_t from, uint64_t bytes) {
  if (bytes == 0 || to == from) return;
  if (bytes > EMU_KEPT_BYTES) {
    emu_contents_clear(to, bytes);
    return;
  }
  void* between = malloc(bytes);
  if (between == NULL) return;
  emu_contents_read(between, from, bytes);
  emu_contents_write(to, between, bytes);
  free(between);
}

void emu_contents_fill(uint64_t at, const void* pattern, uint64_t pattern_bytes, uint64_t bytes) {
  uint64_t first, last;
  if (!offsets(at, bytes, &first, &last)) return;
  int zero = 1;
  for (uint64_t i = 0; i < pattern_bytes; ++i) zero &= ((const unsigned char*)pattern)[i] == 0;
  pthread_mutex_lock(&lock);
  if (zero) {
    clear_offsets(first, last);
  } else if (open_offsets(first, last)) {
    for (uint64_t i = first; i + pattern_bytes <= last; i += pattern_bytes)
      memcpy(shadow + i, pattern, pattern_bytes);
  }
  pthread_mutex_unlock(&lock);
}

void emu_contents_clear(uint64_t at, uint64_t bytes) {
  uint64_t first, last;
  if (!offsets(at, bytes, &first, &last)) return;
  pthread_mutex_lock(&lock);
  clear_offsets(first, last);
  pthread_mutex_unlock(&lock);
}
