#include "verifier/dryrun/memory_timeline.h"

#include <algorithm>
#include <numeric>

namespace forerun::dryrun {
namespace {

struct Change {
  std::size_t event;
  std::int64_t bytes;
  Category category;
};

std::vector<Change> changes_of(const std::vector<Block>& blocks, int device) {
  std::vector<Change> changes;
  for (const Block& block : blocks) {
    if (block.device != device || block.bytes == 0 || block.born == block.died) continue;
    changes.push_back({block.born, block.bytes, block.category});
    if (block.died != Block::kAlive) changes.push_back({block.died, -block.bytes, block.category});
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.event < b.event; });
  return changes;
}

}  // namespace

std::int64_t sum(const CategoryBytes& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

void sweep(const std::vector<Block>& blocks, int device,
           const std::function<void(std::size_t, const CategoryBytes&)>& visit) {
  CategoryBytes bytes{};
  const std::vector<Change> changes = changes_of(blocks, device);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    bytes[static_cast<std::size_t>(changes[i].category)] += changes[i].bytes;
    const bool is_last = i + 1 == changes.size() || changes[i + 1].event != changes[i].event;
    if (is_last) visit(changes[i].event, bytes);
  }
}

std::vector<TimelinePoint> timeline(const std::vector<Block>& blocks, int device,
                                    std::size_t points) {
  std::vector<TimelinePoint> all;
  sweep(blocks, device, [&all](std::size_t event, const CategoryBytes& bytes) {
    all.push_back({event, bytes});
  });
  if (all.size() <= points || points == 0) return all;
  std::vector<TimelinePoint> kept;
  for (std::size_t i = 0; i < points; ++i) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * all.size() / points);
    const auto end = all.begin() + static_cast<std::ptrdiff_t>((i + 1) * all.size() / points);
    kept.push_back(
        *std::max_element(begin, end, [](const TimelinePoint& a, const TimelinePoint& b) {
          return sum(a.bytes) < sum(b.bytes);
        }));
  }
  return kept;
}

TimelinePoint highest(const std::vector<Block>& blocks, int device) {
  TimelinePoint best;
  std::int64_t most = 0;
  sweep(blocks, device, [&](std::size_t event, const CategoryBytes& bytes) {
    if (sum(bytes) <= most) return;
    most = sum(bytes);
    best = {event, bytes};
  });
  return best;
}

std::vector<const Block*> alive_at(const std::vector<Block>& blocks, int device,
                                   std::size_t event) {
  std::vector<const Block*> alive;
  for (const Block& block : blocks) {
    if (block.device == device && block.bytes > 0 && block.born <= event && event < block.died)
      alive.push_back(&block);
  }
  std::stable_sort(alive.begin(), alive.end(),
                   [](const Block* a, const Block* b) { return a->bytes > b->bytes; });
  return alive;
}

}  // namespace forerun::dryrun
