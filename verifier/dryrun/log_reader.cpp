#include "verifier/dryrun/log_reader.h"

#include <algorithm>
#include <cstring>
#include <ctime>

#include "verifier/dryrun/report_layout.h"

namespace forerun::dryrun {
namespace {

constexpr std::uint64_t kHalf = EMU_LOG_STEPS / 2;

template <class T>
T loaded(const T& value) {
  return __atomic_load_n(&value, __ATOMIC_ACQUIRE);
}

// Counters of a writer that died may lag behind by the entry it was writing, never by more.
std::size_t count_of(std::uint32_t counted, std::size_t most) {
  return std::min<std::size_t>(static_cast<std::size_t>(counted) + 1, most);
}

std::vector<std::string> names_of(const EmuProcessLog& area, std::int64_t& nonsense) {
  std::vector<std::string> names(count_of(loaded(area.names), EMU_LOG_NAMES));
  for (std::size_t i = 1; i < names.size(); ++i) {
    const std::uint32_t at = loaded(area.name_at[i]);
    if (at >= EMU_LOG_TEXT_BYTES) {
      ++nonsense;
      continue;
    }
    if (at != 0) names[i].assign(area.text + at, strnlen(area.text + at, EMU_LOG_TEXT_BYTES - at));
  }
  return names;
}

std::vector<EmuSite> sites_of(const EmuProcessLog& area, std::size_t names,
                              std::int64_t& nonsense) {
  std::vector<EmuSite> sites(count_of(loaded(area.sites), EMU_LOG_SITES));
  std::copy_n(area.site, sites.size(), sites.begin());
  sites[0] = EmuSite{};
  for (EmuSite& site : sites) {
    const bool wrong = site.caller >= sites.size() || site.file >= names || site.function >= names;
    if (!wrong) continue;
    ++nonsense;
    site = EmuSite{};
  }
  return sites;
}

bool makes_sense(const EmuEvent& event) {
  return event.kind >= EMU_EVENT_LAUNCH && event.kind <= EMU_EVENT_TORCH_OUT_OF_MEMORY &&
         event.device < EMU_MAX_DEVICES && event.thread <= EMU_THREAD_OTHER;
}

class Events {
 public:
  Events(const EmuProcessLog& area, ProcessLog& log) : area_(area), log_(log) {}

  void read() {
    const std::uint64_t written = loaded(area_.events);
    const std::uint64_t first = std::min<std::uint64_t>(written, EMU_LOG_FIRST_EVENTS);
    log_.events.reserve(
        std::min<std::uint64_t>(written, EMU_LOG_FIRST_EVENTS + EMU_LOG_NEWEST_EVENTS));
    for (std::uint64_t n = 0; n < first; ++n) keep(area_.first[n]);
    log_.gap = log_.events.size();
    if (written <= EMU_LOG_FIRST_EVENTS) return;
    const std::uint64_t oldest = std::max<std::uint64_t>(
        EMU_LOG_FIRST_EVENTS, written - std::min<std::uint64_t>(written, EMU_LOG_NEWEST_EVENTS));
    log_.lost_events = static_cast<std::int64_t>(oldest - EMU_LOG_FIRST_EVENTS);
    for (std::uint64_t n = oldest; n < written; ++n)
      keep(area_.newest[(n - EMU_LOG_FIRST_EVENTS) % EMU_LOG_NEWEST_EVENTS]);
    if (log_.lost_events == 0) log_.gap = log_.events.size();
  }

 private:
  void keep(const EmuEvent& written) {
    EmuEvent event = written;
    if (event.kind == 0) return;  // its number was taken, it was never written
    if (!makes_sense(event)) {
      ++log_.nonsense;
      return;
    }
    if (event.site >= log_.sites.size()) event.site = 0;
    log_.events.push_back(event);
  }

  const EmuProcessLog& area_;
  ProcessLog& log_;
};

// A copy that waits is logged without a site, and its wait with one, right behind it or behind what
// was read.
void lend_sites(std::vector<EmuEvent>& events) {
  for (std::size_t i = 0; i + 1 < events.size(); ++i) {
    if (events[i].kind != EMU_EVENT_COPY || events[i].site != 0) continue;
    std::size_t next = i + 1;
    if (events[next].kind == EMU_EVENT_COMPUTED_READ && next + 1 < events.size()) ++next;
    if (events[next].kind == EMU_EVENT_BLOCK && events[next].thread == events[i].thread)
      events[i].site = events[next].site;
  }
}

std::uint64_t slot_of(std::uint64_t number) {
  return number - 1 < kHalf ? number - 1 : kHalf + (number - 1 - kHalf) % kHalf;
}

void read_steps(const EmuProcessLog& area, ProcessLog& log) {
  const std::uint64_t ended = loaded(area.steps);
  log.steps_ended = static_cast<std::int64_t>(ended);
  const auto keep = [&](std::uint64_t number) {
    const EmuStep& step = area.step[slot_of(number)];
    if (step.number == number)
      log.steps.push_back(step);
    else
      ++log.nonsense;
  };
  for (std::uint64_t n = 1; n <= std::min(ended, kHalf); ++n) keep(n);
  for (std::uint64_t n = std::max(kHalf, ended - std::min(ended, kHalf)) + 1; n <= ended; ++n)
    keep(n);
}

}  // namespace

const std::string& ProcessLog::name(std::uint64_t id) const {
  static const std::string none;
  return id < names.size() ? names[id] : none;
}

ProcessLog read_process(const EmuProcessLog& area) {
  ProcessLog log;
  log.pid = static_cast<std::int64_t>(loaded(area.pid));
  log.rank = area.rank;
  log.lost_names = area.lost_names;
  log.lost_sites = area.lost_sites;
  log.names = names_of(area, log.nonsense);
  log.sites = sites_of(area, log.names.size(), log.nonsense);
  Events(area, log).read();
  lend_sites(log.events);
  read_steps(area, log);
  log.running = area.now;
  return log;
}

Result<SharedLog> SharedLog::create(std::int64_t stop_after_steps) {
  Result<SharedMemory> memory = SharedMemory::create("forerun-events", sizeof(EmuLog));
  if (!memory) return memory.error();
  auto& log = *static_cast<EmuLog*>(memory->at());
  log.stop_after_steps = static_cast<std::uint64_t>(stop_after_steps);
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  log.start_ns = static_cast<std::uint64_t>(now.tv_sec) * 1000000000ull +
                 static_cast<std::uint64_t>(now.tv_nsec);
  log.magic = EMU_LOG_MAGIC;
  return SharedLog(std::move(*memory));
}

std::vector<int> SharedLog::processes() const {
  std::vector<int> taken;
  for (int i = 0; i < EMU_LOG_PROCESSES; ++i) {
    if (loaded(log().process[i].pid) != 0) taken.push_back(i);
  }
  return taken;
}

ProcessLog SharedLog::read(int process) const { return read_process(log().process[process]); }

std::int64_t SharedLog::lost_processes() const {
  return static_cast<std::int64_t>(loaded(log().lost_processes));
}

}  // namespace forerun::dryrun
