// The options of PyTorch's CUDA caching allocator that change what is allocated or reserved, as
// PYTORCH_CUDA_ALLOC_CONF (or PYTORCH_ALLOC_CONF, which 2.11 reads when the first is not set)
// writes them: "expandable_segments:True,max_split_size_mb:128". Names, limits and defaults:
// c10/core/AllocatorConfig.h and c10/cuda/CUDAAllocatorConfig.h of 2.11.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace forerun {

struct AllocatorOptions {
  // Segments grow page by page (2 MiB small, large_segment_size_mb large) instead of being whole.
  bool expandable_segments = false;
  std::optional<std::int64_t> max_split_size_mb;  // blocks from here on are never split
  // How much larger than a request of max_split_size_mb or more the block that serves it may be;
  // absent: large_segment_size_mb.
  std::optional<std::int64_t> max_non_split_rounding_mb;
  std::int64_t large_segment_size_mb = 20;  // what requests from 1 to 10 MiB share
  // Requests are rounded up to one of this many steps between two powers of two, 0 or 1: to 512
  // bytes. One number for each power of two from 1 MiB; smaller requests use the first, larger ones
  // the last.
  std::array<std::int64_t, 16> roundup_power2_divisions{};
  // Above this share of the allowed memory unused blocks go back to the driver before new ones are
  // asked for; 0 is never. Without per_process_memory_fraction it has no effect.
  double garbage_collection_threshold = 0;
  std::optional<double> per_process_memory_fraction;

  bool operator==(const AllocatorOptions&) const = default;
};

// The text of the environment variable; `at` is where it begins, and an error is placed at the
// offending word in it. Errors: an unknown key, a value that PyTorch refuses, and one that it reads
// in part ("64MB", which it takes for 64).
Result<AllocatorOptions> parse_allocator_options(std::string_view text, const Location& at);

// One key with its value as the text above writes it: "True", "128", "[256:1,>:4]".
Status set_allocator_option(AllocatorOptions& options, std::string_view key, std::string_view value,
                            const Location& key_at, const Location& value_at);

// The options together: expandable segments cannot have pages of an odd number of MiB.
Status check_pages(const AllocatorOptions& options, const Location& at);

// The options that are not the defaults, in the text's form; "" when all are.
std::string text(const AllocatorOptions& options);

}  // namespace forerun
