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

// Sums over a series, so that every stretch of it is judged at once.
class Rises {
 public:
  explicit Rises(const std::vector<std::int64_t>& bytes)
      : bytes_(bytes), rises_(bytes.size()), gained_(bytes.size()) {
    for (std::size_t i = 1; i < bytes.size(); ++i) {
      const std::int64_t gain = std::max<std::int64_t>(0, bytes[i] - bytes[i - 1]);
      rises_[i] = rises_[i - 1] + (gain > 0 ? 1 : 0);
      gained_[i] = gained_[i - 1] + gain;
    }
  }

  bool grows(std::size_t from, std::size_t to) const {
    const std::int64_t rises = rises_[to] - rises_[from];
    const auto ends = static_cast<std::int64_t>(to - from);
    const std::int64_t kept = bytes_[to] - bytes_[from];
    return rises >= kRisesToTellGrowth && rises * 10 >= ends * 9 &&
           kept * 2 >= gained_[to] - gained_[from];
  }

  // False when no stretch of `ends` ends or more can have risen often enough.
  bool may_grow(std::size_t ends) const {
    return rises_.back() - rises_[1] >= kRisesToTellGrowth &&
           (rises_.back() - rises_[1]) * 10 >= static_cast<std::int64_t>(ends) * 9;
  }

  // What was gained is gone at the end of the run, or the stretch lasts until there.
  bool lasts_or_is_given_back(std::size_t from, std::size_t to) const {
    if (to + 1 == bytes_.size()) return true;
    return (bytes_[to] - bytes_.back()) * 2 >= bytes_[to] - bytes_[from];
  }

 private:
  static constexpr std::int64_t kRisesToTellGrowth = 4;
  const std::vector<std::int64_t>& bytes_;
  std::vector<std::int64_t> rises_, gained_;
};

}  // namespace

std::optional<Stretch> growing_stretch(const std::vector<std::int64_t>& bytes) {
  if (bytes.size() < kStepsToTellGrowth) return std::nullopt;
  const Rises rises(bytes);
  const std::size_t shortest = (3 * (bytes.size() - 2) + 3) / 4;
  if (!rises.may_grow(shortest)) return std::nullopt;
  std::optional<Stretch> longest;
  for (std::size_t from = 1; from + shortest < bytes.size(); ++from) {
    const std::size_t beat = longest ? longest->to - longest->from + 1 : shortest;
    for (std::size_t to = bytes.size() - 1; to >= from + beat; --to) {
      if (!rises.grows(from, to) || !rises.lasts_or_is_given_back(from, to)) continue;
      longest = Stretch{from, to};
      break;
    }
  }
  return longest;
}

namespace {

std::vector<GrowingPlace> growing_places(const Moments& moments, const Blocks& blocks,
                                         CallSites& sites) {
  std::vector<GrowingPlace> places;
  for (const auto& [text, found] : series_by_place(blocks, kept_ends(moments), sites)) {
    const Series& series = found.second;
    const std::optional<Stretch> stretch = growing_stretch(series.bytes);
    if (!stretch) continue;
    const std::int64_t gained = series.bytes[stretch->to] - series.bytes[stretch->from];
    const auto ends = static_cast<std::int64_t>(stretch->to - stretch->from);
    places.push_back({sites.place(found.first), static_cast<std::int64_t>(stretch->from) + 1,
                      static_cast<std::int64_t>(stretch->to) + 1, gained / ends, gained,
                      series.blocks[stretch->to] - series.blocks[stretch->from]});
  }
  std::stable_sort(places.begin(), places.end(), [](const GrowingPlace& a, const GrowingPlace& b) {
    return a.bytes_per_step > b.bytes_per_step;
  });
  return places;
}

}  // namespace

Growth growth_of(const ProcessLog& log, const Moments& moments, const Blocks& blocks,
                 CallSites& sites) {
  Growth growth;
  const std::vector<std::int64_t> allocated = allocated_at_ends(log);
  growth.steps = log.steps_ended;
  growth.can_tell = allocated.size() >= kStepsToTellGrowth;
  growth.places = growing_places(moments, blocks, sites);
  if (const std::optional<Stretch> stretch = growing_stretch(allocated)) {
    growth.grows = true;
    growth.from_step = static_cast<std::int64_t>(log.steps[stretch->from].number);
    growth.to_step = static_cast<std::int64_t>(log.steps[stretch->to].number);
    growth.bytes_per_step = (allocated[stretch->to] - allocated[stretch->from]) /
                            std::max<std::int64_t>(1, growth.to_step - growth.from_step);
  } else if (!growth.places.empty()) {
    growth.grows = growth.can_tell = true;
    growth.from_step = growth.places[0].from_step;
    growth.to_step = growth.places[0].to_step;
    for (const GrowingPlace& place : growth.places) growth.bytes_per_step += place.bytes_per_step;
  }
  return growth;
}

}  // namespace forerun::dryrun
