#include "verifier/dryrun/analysis.h"

#include <algorithm>
#include <map>
#include <set>

#include "verifier/dryrun/blocks.h"

namespace forerun::dryrun {
namespace {

constexpr std::size_t kLargestShown = 10;
constexpr std::size_t kTimelinePoints = 120;

std::vector<PlaceShare> shares(const std::vector<const Block*>& alive, CallSites& sites) {
  struct Gathered {
    int place = 0;
    PlaceShare share;
    CategoryBytes bytes{};
  };
  std::map<std::string, Gathered> gathered;
  for (const Block* block : alive) {
    const int place = sites.place_of(block->site);
    Gathered& at = gathered[to_string(sites.place(place))];
    if (at.share.blocks == 0) at.share.place = sites.place(place);
    at.share.bytes += block->bytes;
    at.share.blocks += 1;
    at.bytes[static_cast<std::size_t>(block->category)] += block->bytes;
  }
  std::vector<PlaceShare> result;
  for (auto& [text, at] : gathered) {
    const auto most = std::max_element(at.bytes.begin(), at.bytes.end());
    at.share.category = static_cast<Category>(most - at.bytes.begin());
    result.push_back(std::move(at.share));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const PlaceShare& a, const PlaceShare& b) { return a.bytes > b.bytes; });
  return result;
}

std::int64_t segments_peak(const ProcessLog& log, int device) {
  std::uint64_t most = 0;
  for (const EmuEvent& event : log.events)
    if (event.kind == EMU_EVENT_SEGMENT && event.device == device) most = std::max(most, event.c);
  return static_cast<std::int64_t>(std::min<std::uint64_t>(most, 1ull << 50));
}

DeviceMemory memory_of(int device, const ProcessLog& log, const Moments& moments,
                       const Blocks& blocks, CallSites& sites) {
  DeviceMemory memory;
  memory.device = device;
  const TimelinePoint peak = highest(blocks.all, device);
  memory.at_peak = peak.bytes;
  if (peak.event < moments.of_event.size()) memory.peak_at = moments.of_event[peak.event];
  const std::vector<const Block*> alive = alive_at(blocks.all, device, peak.event);
  for (std::size_t i = 0; i < std::min(alive.size(), kLargestShown); ++i) {
    memory.largest.push_back(
        {alive[i]->bytes, alive[i]->category, sites.place(sites.place_of(alive[i]->site))});
  }
  memory.by_place = shares(alive, sites);
  for (const TimelinePoint& point : timeline(blocks.all, device, kTimelinePoints))
    memory.timeline.push_back({moments.of_event[point.event], point.bytes});
  memory.segments_peak_bytes = segments_peak(log, device);
  return memory;
}

EmuStep median_step(const std::vector<EmuStep>& steps, std::int64_t from) {
  EmuStep result{};
  for (std::uint64_t EmuStep::*field :
       {&EmuStep::launches, &EmuStep::gemms, &EmuStep::gemm_flops, &EmuStep::blocking_calls,
        &EmuStep::computed_reads, &EmuStep::copies_to_device, &EmuStep::bytes_to_device,
        &EmuStep::pageable_bytes_to_device, &EmuStep::copies_to_host, &EmuStep::bytes_to_host,
        &EmuStep::collectives, &EmuStep::collective_bytes, &EmuStep::allocations,
        &EmuStep::allocated_peak_bytes, &EmuStep::allocated_end_bytes,
        &EmuStep::reserved_end_bytes}) {
    std::vector<std::int64_t> values;
    for (const EmuStep& step : steps)
      if (static_cast<std::int64_t>(step.number) >= from)
        values.push_back(static_cast<std::int64_t>(step.*field));
    result.*field = static_cast<std::uint64_t>(median(std::move(values)));
  }
  return result;
}

std::optional<Failure> failure_of(const ProcessLog& log, const Moments& moments, CallSites& sites) {
  std::optional<Failure> failure;
  for (std::size_t i = 0; i < log.events.size(); ++i) {
    const EmuEvent& event = log.events[i];
    const bool raised = event.kind == EMU_EVENT_TORCH_OUT_OF_MEMORY;
    if (!raised && event.kind != EMU_EVENT_OUT_OF_MEMORY) continue;
    // PyTorch raises behind the request of the driver that failed; its words are added to that.
    const bool same = raised && failure && !failure->raised && failure->device == event.device;
    if (!same) failure = Failure{};
    failure->device = event.device;
    failure->at = moments.of_event[i];
    if (!same || event.site != 0) failure->place = sites.place(sites.place_of(event.site));
    const auto bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(event.a, INT64_MAX));
    if (raised) {
      failure->raised = true;
      failure->tensor_bytes = bytes;
    } else {
      failure->bytes = bytes;
      failure->free_bytes = static_cast<std::int64_t>(std::min<std::uint64_t>(event.b, INT64_MAX));
    }
  }
  return failure;
}

void say_what_is_lost(const ProcessLog& log, const Moments& moments, ProcessAnalysis& analysis) {
  analysis.lost_events = log.lost_events;
  analysis.lost_names = log.lost_names;
  analysis.lost_sites = log.lost_sites;
  if (log.lost_events == 0 || log.gap == 0 || log.gap >= moments.of_event.size()) return;
  analysis.lost_from_step = moments.of_event[log.gap - 1].step;
  analysis.lost_to_step = moments.of_event[log.gap].step;
}

}  // namespace

ProcessAnalysis analyse(const ProcessLog& log, const PathStyle& style) {
  CallSites sites(log, style);
  const Moments moments = moments_of(log, sites);
  const Blocks blocks = blocks_of(log, moments, sites);
  ProcessAnalysis analysis;
  analysis.rank = log.rank;
  std::set<int> devices;
  for (const Block& block : blocks.all) devices.insert(block.device);
  for (const int device : devices)
    analysis.devices.push_back(memory_of(device, log, moments, blocks, sites));
  analysis.steps_ended = log.steps_ended;
  for (const EmuStep& step : log.steps)
    if (step.number <= 3) analysis.first_steps.push_back(step);
  analysis.later_from = first_later_step(log.steps);
  if (!log.steps.empty()) analysis.later = median_step(log.steps, analysis.later_from);
  analysis.running = log.running;
  analysis.waits = waits_of(log, moments, sites);
  analysis.computed_reads = computed_reads_of(log, moments, sites);
  analysis.copies = copies_of(log, moments, sites);
  analysis.collectives = collectives_of(log, moments, sites);
  analysis.kernels = kernels_of(log, moments, sites);
  analysis.gemms = gemms_of(log, moments, sites);
  analysis.growth = growth_of(log, moments, blocks, sites);
  analysis.failure = failure_of(log, moments, sites);
  say_what_is_lost(log, moments, analysis);
  analysis.nonsense = log.nonsense + blocks.nonsense;
  return analysis;
}

}  // namespace forerun::dryrun
