// What the event log of a program says, as values: the peak, the steps, where the host waits, what
// grows. Nothing here refers to the log it was made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verifier/dryrun/call_sites.h"
#include "verifier/dryrun/growth.h"
#include "verifier/dryrun/happenings.h"
#include "verifier/dryrun/log_reader.h"
#include "verifier/dryrun/memory_timeline.h"
#include "verifier/dryrun/moments.h"

namespace forerun::dryrun {

struct PeakBlock {
  std::int64_t bytes = 0;
  Category category = Category::kUnknown;
  Place place;
};

struct PlaceShare {
  std::int64_t bytes = 0, blocks = 0;
  Category category = Category::kUnknown;  // of most of it
  Place place;
};

struct TimelineMoment {
  Moment moment;
  CategoryBytes bytes{};
};

// PyTorch's blocks on one device of one process.
struct DeviceMemory {
  int device = 0;
  Moment peak_at;
  CategoryBytes at_peak{};
  std::vector<PeakBlock> largest;    // blocks alive at the peak, at most 10
  std::vector<PlaceShare> by_place;  // all of them, most first; adds up to the peak
  std::vector<TimelineMoment> timeline;
  std::int64_t segments_peak_bytes = 0;  // cudaMalloc and relatives, where the log has them
  std::int64_t peak_bytes() const { return sum(at_peak); }
};

// The last allocation that did not fit.
struct Failure {
  std::int64_t bytes = 0, free_bytes = 0;  // what cudaMalloc was asked for, and what it had
  bool raised = false;                     // PyTorch raised its OutOfMemoryError
  std::int64_t tensor_bytes = 0;           // what PyTorch was asked for; 0 when it is not known
  int device = 0;
  Moment at;
  Place place;
};

struct ProcessAnalysis {
  std::int64_t rank = 0;
  std::vector<DeviceMemory> devices;  // those that blocks were on
  std::vector<EmuStep> first_steps;   // the first three
  std::optional<EmuStep> later;       // medians of first_later_step() and those behind it
  std::int64_t later_from = 0;
  EmuStep running{};  // since the last end of a step
  std::int64_t steps_ended = 0;
  std::vector<Happening> waits, computed_reads, copies, collectives, kernels, gemms;
  Growth growth;
  std::optional<Failure> failure;
  std::int64_t lost_events = 0, lost_from_step = 0, lost_to_step = 0;
  std::int64_t lost_names = 0, lost_sites = 0, nonsense = 0;
};

ProcessAnalysis analyse(const ProcessLog& log, const PathStyle& style);

}  // namespace forerun::dryrun
