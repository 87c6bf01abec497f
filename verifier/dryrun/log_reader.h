// The event log of a program as plain values. What is read was written by processes that may have
// been killed halfway or scribbled over it: every index is checked, and what makes no sense is left
// out and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "verifier/dryrun/event_log.h"
#include "verifier/dryrun/shared_memory.h"

namespace forerun::dryrun {

// One process. Sites named by events and callers named by sites are inside `sites`; site 0 is the
// unknown one.
struct ProcessLog {
  std::int64_t pid = 0;
  std::int64_t rank = 0;
  std::vector<std::string> names;
  std::vector<EmuSite> sites;
  std::vector<EmuEvent> events;  // those kept, oldest first
  // Between events[gap - 1] and events[gap] some were counted and not kept; events.size() when none
  // were.
  std::size_t gap = 0;
  std::int64_t lost_events = 0;
  std::vector<EmuStep> steps;  // those kept, oldest first
  std::int64_t steps_ended = 0;
  EmuStep running{};  // since the last end of a step
  std::int64_t lost_names = 0, lost_sites = 0;
  std::int64_t nonsense = 0;  // entries that were left out

  // "" when there is no such name.
  const std::string& name(std::uint64_t id) const;
};

// `area` as it is now.
ProcessLog read_process(const EmuProcessLog& area);

// The memory the emulator writes its log into.
class SharedLog {
 public:
  // stop_after_steps: 0 is never. Errors: those of SharedMemory::create.
  static Result<SharedLog> create(std::int64_t stop_after_steps);

  std::string path() const { return memory_.path(); }  // for kEventsVariable
  // The areas that a process took, by their place in the log.
  std::vector<int> processes() const;
  ProcessLog read(int process) const;
  std::int64_t lost_processes() const;

 private:
  explicit SharedLog(SharedMemory memory) : memory_(std::move(memory)) {}
  const EmuLog& log() const { return *static_cast<const EmuLog*>(memory_.at()); }
  SharedMemory memory_;
};

}  // namespace forerun::dryrun
