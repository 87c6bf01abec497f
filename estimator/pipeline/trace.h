// A schedule replayed through the caching allocator: what each step reached, when, and what was
// alive then.
#pragma once

#include <optional>
#include <vector>

#include "core/report.h"
#include "estimator/devices/device.h"
#include "estimator/ops/tape.h"

namespace forerun::pipeline {

struct StepTrace {
  StepMemory memory;
  std::size_t peak_event =
      0;  // index into Recording::events of the allocation that reached the peak
};

struct Trace {
  std::vector<StepTrace> steps;           // the reported steps; earlier specs' are left out
  std::vector<std::int64_t> block_bytes;  // of each allocation: what it weighed
  std::int64_t retries = 0;               // times a full device made PyTorch empty its cache
};

// nullopt when the device is full: PyTorch would raise OutOfMemoryError.
std::optional<Trace> replay(const ops::Recording& recording,
                            std::optional<std::int64_t> capacity_bytes);

// Everything alive right after the event, largest first, by name; with the allocator's rounding and
// unsplit remainders as one part of their own, so that the parts add up to the allocated bytes.
std::vector<Part> alive_after(const ops::Recording& recording, const Trace& trace,
                              std::size_t event);

std::string print(const ops::Recording& recording);  // the schedule
std::string print(const ops::Recording& recording,
                  const Trace& trace);  // with what each request weighed

}  // namespace forerun::pipeline
