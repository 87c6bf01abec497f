// Everything a dry run found, and its renderings. Same run, same bytes, as far as the program
// itself does the same twice: no clock, no absolute path that the command line does not name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verifier/dryrun/analysis.h"
#include "verifier/dryrun/report.h"

namespace forerun::dryrun {

// Processes that did the same: ranks of one program.
struct ProcessGroup {
  std::vector<std::int64_t> ranks;
  ProcessAnalysis analysis;  // of the first of them
};

struct RunReport {
  std::vector<std::string> command;
  int status = 0;  // the program's own; 128 + signal
  bool does_not_fit = false;
  std::string gpu;
  int gpus = 1;
  std::int64_t usable_bytes = 0, context_bytes = 0;  // of each
  Report counts;
  bool has_events = true;  // the log was kept
  std::vector<ProcessGroup> processes;
  std::int64_t lost_processes = 0;  // that found no room in the log
};

// Adds a process, to the group that did the same if there is one.
void add_process(RunReport& report, ProcessAnalysis analysis);

// The device that took the most, as the driver saw it; nullptr when none was used.
const DeviceUse* fullest(const Report& counts);

// For people. Short: at most about 40 lines; long: everything.
std::string to_text(const RunReport& report, bool is_long);
// An object {tool, version, context, dry_run}.
std::string to_json(const RunReport& report);
// What a process did as text, without its rank, its device and its timeline: two that have the same
// did the same.
std::string figures(const ProcessAnalysis& analysis);

}  // namespace forerun::dryrun
