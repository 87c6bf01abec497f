// What PyTorch says when memory runs out: the text of torch.OutOfMemoryError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "estimator/allocator/caching_allocator.h"

namespace forerun::allocator {

// The state in which a request could not be met; the cache has been emptied by then.
struct OutOfMemory {
  std::int64_t asked_bytes = 0;  // of the driver: a whole segment
  std::int64_t total_bytes = 0;
  std::int64_t free_bytes = 0;
  std::int64_t allocated_bytes = 0;
  std::int64_t reserved_bytes = 0;
  std::optional<std::int64_t> allowed_bytes;  // per_process_memory_fraction's
};

// After allocate(requested_bytes) returned null.
OutOfMemory out_of_memory(const CachingAllocator& allocator, std::int64_t requested_bytes);

// Word for word as 2.11 says it on GPU 0, where no other process holds memory.
std::string message(const OutOfMemory& state);

}  // namespace forerun::allocator
