#include "verifier/dryrun/growth.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace forerun::dryrun {
namespace {

// At the end of each step; first as changes, which sum_up() adds up.
struct Series {
  std::vector<std::int64_t> bytes, blocks;

  void add(std::size_t end, std::int64_t more_bytes, std::int64_t more_blocks) {
    if (end >= bytes.size()) return;
    bytes[end] += more_bytes;
    blocks[end] += more_blocks;
  }
  void sum_up() {
    std::partial_sum(bytes.begin(), bytes.end(), bytes.begin());
    std::partial_sum(blocks.begin(), blocks.end(), blocks.begin());
  }
};

// The ends of steps from the first on, up to where events were lost.
std::vector<std::size_t> kept_ends(const Moments& moments) {
  std::vector<std::size_t> ends;
  for (const StepSpan& span : moments.spans) {
    if (!span.whole || span.number != static_cast<std::int64_t>(ends.size()) + 1) break;
    ends.push_back(span.end - 1);
  }
  return ends;
}

// What was allocated at each place and alive at each of `ends`. Places are told apart by the
// program's line alone.
std::map<std::string, std::pair<int, Series>> series_by_place(const Blocks& blocks,
                                                              const std::vector<std::size_t>& ends,
                                                              CallSites& sites) {
  std::map<std::string, std::pair<int, Series>> series;
  for (const Block& block : blocks.all) {
    const auto first = std::lower_bound(ends.begin(), ends.end(), block.born);
    const auto last = std::lower_bound(first, ends.end(), block.died);
    if (first == last || block.address == 0) continue;
    const int place = sites.place_of(block.site);
    auto& [shown, at] = series[to_string(sites.place(place))];
    if (at.bytes.empty()) {
      shown = place;
      at.bytes.resize(ends.size());
      at.blocks.resize(ends.size());
    }
    at.add(static_cast<std::size_t>(first - ends.begin()), block.bytes, 1);
    at.add(static_cast<std::size_t>(last - ends.begin()), -block.bytes, -1);
  }
  for (auto& [text, found] : series) found.second.sum_up();
  return series;
}

std::vector<std::int64_t> allocated_at_ends(const ProcessLog& log) {
  std::vector<std::int64_t> bytes;
  for (const EmuStep& step : log.steps)
    bytes.push_back(static_cast<std::int64_t>(step.allocated_end_bytes));
  return bytes;
}

}  // namespace

bool grows(const std::vector<std::int64_t>& bytes) {
  if (bytes.size() < kStepsToTellGrowth) return false;
  std::int64_t rises = 0, gained = 0;
  for (std::size_t i = 2; i < bytes.size(); ++i) {
    if (bytes[i] <= bytes[i - 1]) continue;
    ++rises;
    gained += bytes[i] - bytes[i - 1];
  }
  const auto ends = static_cast<std::int64_t>(bytes.size()) - 2;
  return rises * 10 >= ends * 9 && (bytes.back() - bytes[1]) * 2 >= gained;
}

std::int64_t gain_per_step(const std::vector<std::int64_t>& bytes) {
  if (bytes.size() < 3) return 0;
  return (bytes.back() - bytes[1]) / (static_cast<std::int64_t>(bytes.size()) - 2);
}

Growth growth_of(const ProcessLog& log, const Moments& moments, const Blocks& blocks,
                 CallSites& sites) {
  Growth growth;
  const std::vector<std::int64_t> allocated = allocated_at_ends(log);
  growth.steps = log.steps_ended;
  growth.can_tell = allocated.size() >= kStepsToTellGrowth;
  growth.grows = grows(allocated);
  if (!growth.grows) return growth;
  // Records in the middle of a long run are not kept.
  growth.bytes_per_step =
      (allocated.back() - allocated[1]) / std::max<std::int64_t>(1, log.steps_ended - 2);
  for (const auto& [text, found] : series_by_place(blocks, kept_ends(moments), sites)) {
    const Series& series = found.second;
    if (!grows(series.bytes)) continue;
    growth.places.push_back({sites.place(found.first), gain_per_step(series.bytes),
                             series.bytes.back() - series.bytes[1],
                             series.blocks.back() - series.blocks[1]});
  }
  std::stable_sort(growth.places.begin(), growth.places.end(),
                   [](const GrowingPlace& a, const GrowingPlace& b) {
                     return a.bytes_per_step > b.bytes_per_step;
                   });
  return growth;
}

}  // namespace forerun::dryrun
