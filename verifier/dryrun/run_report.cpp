#include "verifier/dryrun/run_report.h"

#include <algorithm>
#include <utility>

namespace forerun::dryrun {

void add_process(RunReport& report, ProcessAnalysis analysis) {
  const std::string text = figures(analysis);
  for (ProcessGroup& group : report.processes) {
    if (figures(group.analysis) != text) continue;
    group.ranks.push_back(analysis.rank);
    std::sort(group.ranks.begin(), group.ranks.end());
    return;
  }
  const std::int64_t rank = analysis.rank;
  report.processes.push_back({{rank}, std::move(analysis)});
  std::stable_sort(report.processes.begin(), report.processes.end(),
                   [](const ProcessGroup& a, const ProcessGroup& b) {
                     return a.ranks.front() < b.ranks.front();
                   });
}

const DeviceUse* fullest(const Report& counts) {
  const auto most = std::max_element(counts.devices.begin(), counts.devices.end(),
                                     [](const DeviceUse& a, const DeviceUse& b) {
                                       return a.driver_peak_bytes < b.driver_peak_bytes;
                                     });
  return most == counts.devices.end() ? nullptr : &*most;
}

}  // namespace forerun::dryrun
