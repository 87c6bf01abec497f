#include "estimator/allocator/out_of_memory.h"

#include <fmt/format.h>

#include "core/units.h"

namespace forerun::allocator {
namespace {

// c10's format_size: binary units with two digits, each up to and including one of the next.
std::string c10_size(std::int64_t bytes) {
  const auto real = static_cast<double>(bytes);
  if (bytes <= kKiB) return fmt::format("{} bytes", bytes);
  if (bytes <= kMiB) return fmt::format("{:.2f} KiB", real / static_cast<double>(kKiB));
  if (bytes <= kGiB) return fmt::format("{:.2f} MiB", real / static_cast<double>(kMiB));
  return fmt::format("{:.2f} GiB", real / static_cast<double>(kGiB));
}

}  // namespace

OutOfMemory out_of_memory(const CachingAllocator& allocator, std::int64_t requested_bytes) {
  const std::int64_t size = round_size(requested_bytes, allocator.options());
  OutOfMemory made;
  made.asked_bytes = segment_size(size, allocator.options());
  made.total_bytes = allocator.memory() ? allocator.memory()->total_bytes : 0;
  made.free_bytes = allocator.device_free_bytes();
  made.allocated_bytes = allocator.statistics().allocated_bytes;
  made.reserved_bytes = allocator.statistics().reserved_bytes;
  made.allowed_bytes = allocator.allowed_bytes();
  return made;
}

std::string message(const OutOfMemory& state) {
  return fmt::format(
      "CUDA out of memory. Tried to allocate {}. GPU 0 has a total capacity of {} of which {} is "
      "free. Including non-PyTorch memory, this process has {} memory in use. {}Of the allocated "
      "memory {} is allocated by PyTorch, and {} is reserved by PyTorch but unallocated. If "
      "reserved but unallocated memory is large try setting "
      "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See "
      "documentation for Memory Management  "
      "(https://docs.pytorch.org/docs/stable/notes/"
      "cuda.html#optimizing-memory-usage-with-pytorch-cuda-alloc-conf)",
      c10_size(state.asked_bytes), c10_size(state.total_bytes), c10_size(state.free_bytes),
      c10_size(state.total_bytes - state.free_bytes),
      state.allowed_bytes ? c10_size(*state.allowed_bytes) + " allowed; " : "",
      c10_size(state.allocated_bytes), c10_size(state.reserved_bytes - state.allocated_bytes));
}

}  // namespace forerun::allocator
