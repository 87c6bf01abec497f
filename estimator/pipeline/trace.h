// A schedule replayed through the caching allocator: what each step reached, when, and what was
// alive then.
#pragma once

#include <optional>
#include <vector>

#include "core/allocator_options.h"
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
  std::vector<StepTrace> steps;              // the reported steps; earlier specs' are left out
  std::vector<std::int64_t> block_bytes;     // of each allocation: what it weighed
  std::vector<std::int64_t> reserved_bytes;  // after each event
  std::int64_t retries = 0;                  // times a full device made PyTorch empty its cache
};

// Where a full device stopped the run, and what PyTorch says there.
struct FullDevice {
  std::size_t event = 0;  // index into Recording::events of the allocation
  std::string message;    // of the OutOfMemoryError
};

// On the card, or without an end of memory when there is none. nullopt when the card is full:
// PyTorch would raise OutOfMemoryError; `full`, when given, then says where.
std::optional<Trace> replay(const ops::Recording& recording, const devices::Device* card,
                            const AllocatorOptions& options, FullDevice* full = nullptr);

// The allocations alive right after the event, as indices into Recording::allocations.
std::vector<std::size_t> alive_ids(const ops::Recording& recording, std::size_t event);

// Everything alive right after the event, largest first, by name; with the allocator's rounding and
// unsplit remainders as one part of their own, so that the parts add up to the allocated bytes.
std::vector<Part> alive_after(const ops::Recording& recording, const Trace& trace,
                              std::size_t event);

std::string print(const ops::Recording& recording);  // the schedule
std::string print(const ops::Recording& recording,
                  const Trace& trace);  // with what each request weighed

}  // namespace forerun::pipeline
