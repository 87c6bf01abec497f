// Allocated bytes by category over a run, and the instant they were the most.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "verifier/dryrun/blocks.h"

namespace forerun::dryrun {

using CategoryBytes = std::array<std::int64_t, kCategories>;
std::int64_t sum(const CategoryBytes& bytes);

// Calls `visit(event, bytes)` after every event that changed what is allocated on a device.
void sweep(const std::vector<Block>& blocks, int device,
           const std::function<void(std::size_t event, const CategoryBytes& bytes)>& visit);

struct TimelinePoint {
  std::size_t event = 0;
  CategoryBytes bytes{};
};

// At most `points` of them, evenly over the events, each the highest instant of its share; the peak
// is always among them.
std::vector<TimelinePoint> timeline(const std::vector<Block>& blocks, int device,
                                    std::size_t points);

// The first instant with the most allocated; event 0 and no bytes when nothing was.
TimelinePoint highest(const std::vector<Block>& blocks, int device);

// Blocks that are alive after an event, largest first.
std::vector<const Block*> alive_at(const std::vector<Block>& blocks, int device, std::size_t event);

}  // namespace forerun::dryrun
