// How memory goes up and down through the simulated steps, for people to look at: as a trace for
// Perfetto or chrome://tracing, and as one page of HTML that needs nothing else.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/report.h"
#include "core/result.h"
#include "core/spec.h"
#include "estimator/devices/device.h"
#include "estimator/ops/tape.h"
#include "estimator/pipeline/trace.h"

namespace forerun::pipeline {

inline constexpr std::size_t kCategories = 8;  // ops::Category's, and slack

// The state when an operator has ended; allocated is the sum of the categories, slack among them.
struct TimelinePoint {
  std::size_t begin_event = 0, end_event = 0;  // of Recording::events: the operator's own
  int step = 0;                                // 1-based; 0: before the first
  ops::Phase phase = ops::Phase::Setup;
  int op = -1;                                    // index into Recording::ops
  std::array<std::int64_t, kCategories> bytes{};  // at its highest allocated
  std::int64_t allocated_bytes = 0;               // the same
  std::int64_t reserved_bytes = 0;
};

struct Timeline {
  std::string title;  // "spec.yaml on h100-sxm-80gb, pytorch-2.11"
  std::vector<TimelinePoint> points;
  std::vector<std::string> ops;
  std::vector<Part> alive_at_peak;  // of the highest point, the largest first
  std::size_t peak = 0;             // index into points
  bool on_card = true;              // false: more than the card has; shown without its end
};

// Of the reported steps and what comes before them in the process. Errors: as estimate()'s.
Result<Timeline> timeline(const std::vector<const Spec*>& before, const Spec& spec,
                          const devices::Device& device);

std::string_view category_name(std::size_t category);

// One unit of trace time is one allocation or free; what is real is their order.
std::string to_chrome_trace(const Timeline& timeline);
std::string to_html(const Timeline& timeline, const Estimate& estimate);

}  // namespace forerun::pipeline
