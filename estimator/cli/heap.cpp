// The tool's heap. A simulated run makes and drops millions of small objects (tensors, nodes of the
// backward graph, names), and half of the tool's time went to malloc's general bookkeeping. Small
// blocks are cut from chunks and kept by size for the next of their size until the process ends,
// which is soon; large ones stay malloc's.
//
// Sanitizers bring a heap of their own, which sees more than this one.
#ifndef FORERUN_SANITIZED

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <malloc.h>
#include <sys/mman.h>

namespace {

// A block is a number of steps long: its header, then what the program gets, aligned as malloc's.
// The header says how many; 0 for a block of malloc's own, whose address lies another header
// further on.
using Header = std::size_t;
struct Unused {
  Unused* next;
};

constexpr std::size_t kStep = alignof(std::max_align_t);
constexpr std::size_t kMostSteps = 64;
constexpr std::size_t kChunkBytes = 64 << 10;
constexpr std::size_t kHugeBytes = 2 << 20;  // of a huge page
constexpr int kChunksOfSmallRun = 32;
static_assert(kStep == 2 * sizeof(Header));

Header& header_of(void* given) { return *(static_cast<Header*>(given) - 1); }

// Trivial, and a thread's own: ready before any constructor runs, and nobody waits for a lock. A
// block given back by another thread serves that one from then on.
struct Heap {
  std::array<Unused*, kMostSteps + 1> unused;  // by the steps of the block
  char* next;                                  // what is left of the chunk
  std::size_t steps_left;
  int chunks;  // so far
};
constinit thread_local Heap heap{};

char* from_system(std::size_t bytes) {
  for (;;) {
    if (void* block = std::malloc(bytes)) return static_cast<char*>(block);
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

// A run that has taken many chunks will take many more: huge pages spare it most page faults.
char* huge_chunk() {
  auto* chunk = static_cast<char*>(std::aligned_alloc(kHugeBytes, kHugeBytes));
  if (chunk != nullptr) madvise(chunk, kHugeBytes, MADV_HUGEPAGE);
  return chunk;
}

void refill() {
  if (heap.chunks++ == 0) {  // what malloc is given back it keeps too, instead of asking again
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
  }
  std::size_t bytes = kHugeBytes;
  char* chunk = heap.chunks > kChunksOfSmallRun ? huge_chunk() : nullptr;
  if (chunk == nullptr) chunk = from_system(bytes = kChunkBytes);
  heap.next = chunk + sizeof(Header);
  heap.steps_left = bytes / kStep - 1;
}

void* cut(std::size_t steps) {
  if (heap.steps_left < steps) refill();
  char* block = heap.next;
  heap.next += steps * kStep;
  heap.steps_left -= steps;
  void* given = block + sizeof(Header);
  header_of(given) = steps;
  return given;
}

void* large(std::size_t bytes) {
  if (bytes > PTRDIFF_MAX) throw std::bad_alloc();
  void* given = from_system(kStep + bytes) + kStep;
  header_of(given) = 0;
  return given;
}

}  // namespace

void* operator new(std::size_t bytes) {
  if (bytes > kMostSteps * kStep - sizeof(Header)) return large(bytes);
  const std::size_t steps = (sizeof(Header) + bytes + kStep - 1) / kStep;
  Unused*& first = heap.unused[steps];
  if (first == nullptr) return cut(steps);
  void* given = first;
  first = first->next;
  return given;
}

void operator delete(void* given) noexcept {
  if (given == nullptr) return;
  const std::size_t steps = header_of(given);
  if (steps == 0) return std::free(static_cast<char*>(given) - kStep);
  Unused*& first = heap.unused[steps];
  first = ::new (given) Unused{first};
}

void operator delete(void* given, std::size_t) noexcept { operator delete(given); }

#endif  // FORERUN_SANITIZED
