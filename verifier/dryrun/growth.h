// Whether a program keeps more and more device memory from step to step, and where.
//
// A series of bytes at the ends of steps grows when, from the end of the second step on, there is a
// stretch of at least three quarters of the ends, and of four, in which it rises at nine of ten and
// keeps at least half of what it gained; and when it either lasts to the end of the run or is given
// back behind it, as by a function that returns. A loop that only allocates optimizer state or
// workspaces in its first steps does not grow; neither does one that clears what it gathered now
// and then. A program grows when the bytes of all its blocks do, or those of the blocks allocated
// at one place: batches of several lengths hide what grows beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "verifier/dryrun/blocks.h"
#include "verifier/dryrun/call_sites.h"
#include "verifier/dryrun/log_reader.h"
#include "verifier/dryrun/moments.h"

namespace forerun::dryrun {

inline constexpr std::size_t kStepsToTellGrowth = 6;

struct GrowingPlace {
  Place place;
  std::int64_t from_step = 0, to_step = 0;  // the stretch: it rises behind the end of from_step
  std::int64_t bytes_per_step = 0;
  std::int64_t bytes = 0, blocks = 0;  // more at the end of the stretch than at its start
};

struct Growth {
  std::int64_t steps = 0;                   // that ended
  std::int64_t from_step = 0, to_step = 0;  // the stretch, of everything or of the first place
  bool can_tell = false;                    // there were enough
  bool grows = false;
  std::int64_t bytes_per_step = 0;   // of everything, or of the places
  std::vector<GrowingPlace> places;  // most first
};

// The stretch in which bytes at the ends of steps, from the first step on, grow: indices of
// `bytes`.
struct Stretch {
  std::size_t from = 0, to = 0;
  bool operator==(const Stretch&) const = default;
};
std::optional<Stretch> growing_stretch(const std::vector<std::int64_t>& bytes);

Growth growth_of(const ProcessLog& log, const Moments& moments, const Blocks& blocks,
                 CallSites& sites);

}  // namespace forerun::dryrun
