#include "verifier/dryrun/moments.h"

namespace forerun::dryrun {
namespace {

bool is_backward(const EmuEvent& event, CallSites& sites) {
  return event.thread == EMU_THREAD_AUTOGRAD || sites.phase_of(event.site) == SitePhase::kBackward;
}

// Splits [begin, end), in which nothing was lost, at the ends of steps.
void add_spans(const ProcessLog& log, std::size_t begin, std::size_t end, bool from_the_start,
               std::vector<StepSpan>& spans) {
  std::int64_t number = spans.empty() ? 1 : spans.back().number + 1;
  bool whole = from_the_start;
  std::size_t at = begin;
  for (std::size_t i = begin; i < end; ++i) {
    if (log.events[i].kind != EMU_EVENT_STEP) continue;
    number = static_cast<std::int64_t>(log.events[i].a);
    spans.push_back({number, at, i + 1, true, whole});
    whole = true;
    at = i + 1;
    ++number;
  }
  if (at < end) spans.push_back({number, at, end, false, false});
}

void tell_phases(const ProcessLog& log, const StepSpan& span, CallSites& sites,
                 std::vector<Moment>& moments) {
  std::size_t last = span.begin;  // behind the last backward
  for (std::size_t i = span.begin; i < span.end; ++i) {
    Moment& moment = moments[i];
    moment.step = span.number;
    if (is_backward(log.events[i], sites)) {
      moment.phase = Phase::kBackward;
      last = i + 1;
    } else if (sites.phase_of(log.events[i].site) == SitePhase::kOptimizer) {
      moment.phase = Phase::kOptimizer;
    }
  }
  if (last == span.begin) return;  // no backward: what is after it cannot be told
  for (std::size_t i = last; i < span.end; ++i) moments[i].phase = Phase::kOptimizer;
}

}  // namespace

const char* to_string(Phase phase) {
  switch (phase) {
    case Phase::kForward: return "forward";
    case Phase::kBackward: return "backward";
    case Phase::kOptimizer: return "optimizer";
  }
  return "";
}

Moments moments_of(const ProcessLog& log, CallSites& sites) {
  Moments result;
  result.of_event.resize(log.events.size());
  add_spans(log, 0, log.gap, true, result.spans);
  add_spans(log, log.gap, log.events.size(), false, result.spans);
  for (const StepSpan& span : result.spans) tell_phases(log, span, sites, result.of_event);
  result.next_backward.resize(log.events.size());
  std::size_t next = log.events.size();
  for (std::size_t i = log.events.size(); i-- > 0;) {
    if (result.of_event[i].phase == Phase::kBackward) next = i;
    result.next_backward[i] = static_cast<std::uint32_t>(next);
  }
  return result;
}

}  // namespace forerun::dryrun
