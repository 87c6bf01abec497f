#include "verifier/dryrun/blocks.h"

#include <algorithm>
#include <map>

#include "verifier/dryrun/report_layout.h"

namespace forerun::dryrun {
namespace {

// Sizes beyond any device are a scribble, and would overflow sums.
constexpr std::uint64_t kLargestBlock = 1ull << 44;

// Plays allocations and frees in order. After lost events, what is known to be alive is less than
// what the allocator says it has handed out: the rest is a block of its own, without an address.
class Replay {
 public:
  explicit Replay(const ProcessLog& log) : log_(log) {}

  Blocks played() {
    for (std::size_t i = 0; i < log_.events.size(); ++i) {
      if (i == log_.gap) forget(i);
      play(i);
    }
    return std::move(result_);
  }

 private:
  void play(std::size_t i) {
    const EmuEvent& event = log_.events[i];
    switch (event.kind) {
      case EMU_EVENT_ALLOC:
        allocate(i, event);
        settle(i, event);
        break;
      case EMU_EVENT_FREE:
        release(i, event);
        settle(i, event);
        break;
      case EMU_EVENT_CATEGORY:
        if (Block* block = holding(event.a);
            block != nullptr && event.b != EMU_CATEGORY_UNKNOWN && event.b <= EMU_CATEGORY_BUFFER)
          block->told = static_cast<std::uint8_t>(event.b);
        break;
      case EMU_EVENT_COPY:
        if (Block* block = holding(event.c);
            block != nullptr && (event.b & EMU_COPY_DIRECTION) == EMU_COPY_TO_DEVICE)
          block->from_host = true;
        break;
      default: break;
    }
  }

  void allocate(std::size_t i, const EmuEvent& event) {
    if (event.a == 0 || event.b > kLargestBlock) {
      ++result_.nonsense;
      return;
    }
    if (const auto old = live_.find(event.a); old != live_.end()) {
      // Freed while events were lost, or its free was.
      if (log_.lost_events == 0) ++result_.nonsense;
      end(old, i);
    }
    Block block;
    block.address = event.a;
    block.bytes = static_cast<std::int64_t>(event.b);
    block.device = event.device;
    block.site = event.site;
    block.born = i;
    live_[event.a] = result_.all.size();
    alive_bytes_[event.device] += block.bytes;
    result_.all.push_back(block);
  }

  void release(std::size_t i, const EmuEvent& event) {
    if (const auto at = live_.find(event.a); at != live_.end()) {
      end(at, i);
      return;
    }
    const auto rest = rest_.find(event.device);
    if (rest == rest_.end()) {
      ++result_.nonsense;
      return;
    }
    const std::int64_t before = result_.all[rest->second].bytes;
    const std::int64_t freed = static_cast<std::int64_t>(std::min(event.b, kLargestBlock));
    set_rest(i, event.device, std::max<std::int64_t>(0, before - freed));
  }

  void end(std::map<std::uint64_t, std::size_t>::iterator at, std::size_t i) {
    Block& block = result_.all[at->second];
    block.died = i;
    alive_bytes_[block.device] -= block.bytes;
    live_.erase(at);
  }

  // Where events were lost only blocks that live as long as the program are taken to have survived.
  void forget(std::size_t i) {
    std::vector<std::uint64_t> doubtful;
    for (const auto& [address, index] : live_) {
      const std::uint8_t told = result_.all[index].told;
      const bool lasting = told == EMU_CATEGORY_PARAMETER || told == EMU_CATEGORY_OPTIMIZER_STATE ||
                           told == EMU_CATEGORY_WORKSPACE || told == EMU_CATEGORY_BUFFER;
      if (!lasting) doubtful.push_back(address);
    }
    for (const std::uint64_t address : doubtful) end(live_.find(address), i);
    unsettled_.fill(true);
  }

  // At the first event of a device behind the lost ones.
  void settle(std::size_t i, const EmuEvent& event) {
    if (!unsettled_[event.device]) return;
    unsettled_[event.device] = false;
    const std::int64_t allocated = static_cast<std::int64_t>(std::min(event.c, kLargestBlock));
    if (alive_bytes_[event.device] > allocated) end_all(i, event.device);
    set_rest(i, event.device, std::max<std::int64_t>(0, allocated - alive_bytes_[event.device]));
  }

  void end_all(std::size_t i, int device) {
    for (auto at = live_.begin(); at != live_.end();) {
      const auto next = std::next(at);
      const Block& block = result_.all[at->second];
      if (block.device == device && block.born != i) end(at, i);
      at = next;
    }
  }

  void set_rest(std::size_t i, int device, std::int64_t bytes) {
    if (const auto at = rest_.find(device); at != rest_.end()) result_.all[at->second].died = i;
    Block block;
    block.bytes = bytes;
    block.device = device;
    block.born = i;
    rest_[device] = result_.all.size();
    result_.all.push_back(block);
  }

  // The live block that holds an address.
  Block* holding(std::uint64_t address) {
    auto at = live_.upper_bound(address);
    if (address == 0 || at == live_.begin()) return nullptr;
    Block& block = result_.all[(--at)->second];
    const bool inside = address - block.address <
                        static_cast<std::uint64_t>(std::max<std::int64_t>(block.bytes, 1));
    return inside ? &block : nullptr;
  }

  const ProcessLog& log_;
  Blocks result_;
  std::map<std::uint64_t, std::size_t> live_;  // address -> block
  std::map<int, std::size_t> rest_;            // device -> block that stands for what is not known
  std::array<std::int64_t, EMU_MAX_DEVICES> alive_bytes_{};
  std::array<bool, EMU_MAX_DEVICES> unsettled_{};
};

Category told_category(std::uint8_t told) {
  switch (told) {
    case EMU_CATEGORY_PARAMETER: return Category::kParameters;
    case EMU_CATEGORY_GRADIENT: return Category::kGradients;
    case EMU_CATEGORY_OPTIMIZER_STATE: return Category::kOptimizerState;
    case EMU_CATEGORY_WORKSPACE: return Category::kWorkspaces;
    case EMU_CATEGORY_BUFFER: return Category::kBuffers;
    default: return Category::kUnknown;
  }
}

// What a block that outlives its step was for, if it was not allocated in forward.
Category lasting(const Block& block, const Moment& birth, bool told_apart, CallSites& sites) {
  if (sites.phase_of(block.site) == SitePhase::kOptimizer) return Category::kOptimizerState;
  if (told_apart) return Category::kUnknown;
  return birth.phase == Phase::kBackward ? Category::kGradients : Category::kOptimizerState;
}

Category category_of(const Block& block, const ProcessLog& log, const Moments& moments,
                     bool told_apart, CallSites& sites) {
  if (block.told != EMU_CATEGORY_UNKNOWN) return told_category(block.told);
  if (block.from_host) return Category::kData;
  if (block.address == 0) return Category::kUnknown;
  const bool alive = block.died >= log.events.size();
  const Moment birth = moments.of_event[block.born];
  const Moment death = moments.of_event[alive ? log.events.size() - 1 : block.died];
  const std::int64_t steps_outlived = death.step - birth.step;
  if (birth.phase != Phase::kForward)
    return steps_outlived == 0 ? Category::kTemporaries : lasting(block, birth, told_apart, sites);
  if (steps_outlived > 1) return Category::kUnknown;
  const std::size_t end = alive ? log.events.size() : block.died;
  if (moments.next_backward[block.born] < end) return Category::kActivations;
  if (steps_outlived == 1) return Category::kUnknown;
  if (!alive) return Category::kTemporaries;
  const bool in_a_step = birth.step > 1 || sites.phase_of(block.site) == SitePhase::kModuleCall;
  return in_a_step ? Category::kActivations : Category::kUnknown;
}

}  // namespace

const char* to_string(Category category) {
  switch (category) {
    case Category::kParameters: return "parameters";
    case Category::kGradients: return "gradients";
    case Category::kOptimizerState: return "optimizer_state";
    case Category::kBuffers: return "buffers";
    case Category::kWorkspaces: return "workspaces";
    case Category::kData: return "data";
    case Category::kActivations: return "activations";
    case Category::kTemporaries: return "temporaries";
    case Category::kUnknown: return "unknown";
  }
  return "";
}

Blocks blocks_of(const ProcessLog& log, const Moments& moments, CallSites& sites) {
  Blocks blocks = Replay(log).played();
  const bool told_apart = std::any_of(blocks.all.begin(), blocks.all.end(), [](const Block& block) {
    return block.told == EMU_CATEGORY_PARAMETER;
  });
  for (Block& block : blocks.all)
    block.category = category_of(block, log, moments, told_apart, sites);
  return blocks;
}

}  // namespace forerun::dryrun
