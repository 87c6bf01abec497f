// Where in the training loop each event of a process lies.
//
// A step ends where the log says so (a step of the optimizer); what comes before the first end,
// setting up included, is step 1. Within a step
//   backward   is what a thread of the autograd engine did, or what was called by it;
//   optimizer  is what is called by torch.optim, and whatever comes after the step's last backward;
//   forward    is everything else: what comes before the first backward and, when gradients are
//              accumulated, between two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "verifier/dryrun/call_sites.h"
#include "verifier/dryrun/log_reader.h"

namespace forerun::dryrun {

enum class Phase : std::uint8_t { kForward, kBackward, kOptimizer };
const char* to_string(Phase phase);

struct Moment {
  std::int64_t step = 1;
  Phase phase = Phase::kForward;
};

// The events of one step: [begin, end) of ProcessLog::events.
struct StepSpan {
  std::int64_t number = 1;
  std::size_t begin = 0, end = 0;
  bool ended = false;  // its last event is the end of the step
  bool whole = false;  // it ended, and nothing of it was lost
};

struct Moments {
  std::vector<Moment> of_event;
  std::vector<StepSpan> spans;
  // Of each event, the first one at or behind it that is backward's; the number of events if none.
  std::vector<std::uint32_t> next_backward;
};

Moments moments_of(const ProcessLog& log, CallSites& sites);

// Steps that stand for a run: those after the second, else after the first, else all.
template <class Steps>
std::int64_t first_later_step(const Steps& steps) {
  std::int64_t last = 0;
  for (const auto& step : steps) last = static_cast<std::int64_t>(step.number);
  return last > 2 ? 3 : last;
}

}  // namespace forerun::dryrun
