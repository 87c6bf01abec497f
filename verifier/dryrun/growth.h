// Whether a program keeps more and more device memory from step to step, and where.
//
// A series of bytes at the ends of steps grows when, from the end of the second step on, it rises
// at nine of ten ends or more, over at least four of them, and keeps at least half of what it
// gained. A loop that only allocates optimizer state or workspaces in its first steps does not;
// neither does one that clears what it gathered now and then.
#pragma once

#include <cstdint>
#include <vector>

#include "verifier/dryrun/blocks.h"
#include "verifier/dryrun/call_sites.h"
#include "verifier/dryrun/log_reader.h"
#include "verifier/dryrun/moments.h"

namespace forerun::dryrun {

inline constexpr std::size_t kStepsToTellGrowth = 6;

struct GrowingPlace {
  Place place;
  std::int64_t bytes_per_step = 0;
  std::int64_t bytes = 0, blocks = 0;  // more at the last end that was looked at than at the second
};

struct Growth {
  std::int64_t steps = 0;  // whose ends were looked at
  bool can_tell = false;   // there were enough
  bool grows = false;
  std::int64_t bytes_per_step = 0;
  std::vector<GrowingPlace> places;  // most first
};

// `bytes` at the ends of consecutive steps from the first on.
bool grows(const std::vector<std::int64_t>& bytes);
// The mean gain a step after the second.
std::int64_t gain_per_step(const std::vector<std::int64_t>& bytes);

Growth growth_of(const ProcessLog& log, const Moments& moments, const Blocks& blocks,
                 CallSites& sites);

}  // namespace forerun::dryrun
