#include "verifier/dryrun/report.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "core/units.h"
#include "verifier/dryrun/report_layout.h"

namespace forerun::dryrun {
namespace {

std::int64_t loaded(const std::uint64_t& value) {
  return static_cast<std::int64_t>(__atomic_load_n(&value, __ATOMIC_RELAXED));
}

// Two processes may have claimed a slot each for one name.
std::vector<NamedCount> named_counts(const EmuReport& shared, std::uint32_t kind) {
  std::map<std::string, std::int64_t> counts;
  for (const EmuNamedCount& slot : shared.names) {
    if (__atomic_load_n(&slot.state, __ATOMIC_ACQUIRE) != 2 || slot.kind != kind) continue;
    counts[std::string(slot.name, strnlen(slot.name, sizeof slot.name))] += loaded(slot.count);
  }
  std::vector<NamedCount> result;
  for (auto& [name, count] : counts) result.push_back({name, count});
  return result;
}

std::string device_text(const DeviceUse& use, const std::string& which, std::int64_t usable_bytes) {
  std::string text = fmt::format("  {}{} handed out by cudaMalloc at most, of {} usable\n", which,
                                 bytes_text(use.driver_peak_bytes), bytes_text(usable_bytes));
  if (use.allocated_peak_bytes > 0) {
    text += fmt::format("  {}PyTorch's allocator: {} allocated, {} reserved at most\n", which,
                        bytes_text(use.allocated_peak_bytes), bytes_text(use.reserved_peak_bytes));
  }
  if (use.failed_requests > 0) {
    text +=
        fmt::format("  {}{} request{} did not fit, the first of {}\n", which, use.failed_requests,
                    use.failed_requests == 1 ? "" : "s", bytes_text(use.first_failed_bytes));
  }
  return text;
}

bool alike(DeviceUse a, const DeviceUse& b) {
  a.device = b.device;
  return a == b;
}

// "" when there is one device, "device 3: ", "devices 0 to 7, each: ".
std::string which_text(const std::vector<DeviceUse>& devices, std::size_t first, std::size_t last) {
  if (devices.size() == 1) return {};
  if (first == last) return fmt::format("device {}: ", devices[first].device);
  return fmt::format("devices {} to {}, each: ", devices[first].device, devices[last].device);
}

std::string names_text(const char* title, const std::vector<NamedCount>& names, std::size_t most) {
  if (names.empty()) return fmt::format("  {}: none\n", title);
  std::string text = fmt::format("  {}:\n", title);
  const std::size_t shown = names.size() > most + 1 ? most : names.size();
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("    {} x {}\n", names[i].name, names[i].count);
  if (shown < names.size()) text += fmt::format("    and {} more\n", names.size() - shown);
  return text;
}

}  // namespace

Result<SharedReport> SharedReport::create() {
  Result<SharedMemory> memory = SharedMemory::create("forerun-report", sizeof(EmuReport));
  if (!memory) return memory.error();
  static_cast<EmuReport*>(memory->at())->magic = EMU_REPORT_MAGIC;
  return SharedReport(std::move(*memory));
}

Report SharedReport::read() const {
  const auto& shared = *static_cast<const EmuReport*>(memory_.at());
  Report report;
  report.processes = loaded(shared.processes);
  report.launches = loaded(shared.launches);
  report.synchronisations = loaded(shared.synchronisations);
  report.bytes_to_device = loaded(shared.bytes_to_device);
  report.bytes_to_host = loaded(shared.bytes_to_host);
  report.unbacked_copies = loaded(shared.unbacked_copies);
  for (int i = 0; i < EMU_MAX_DEVICES; ++i) {
    const EmuDeviceReport& noted = shared.devices[i];
    const DeviceUse use{i,
                        loaded(noted.driver_peak_bytes),
                        loaded(noted.allocated_peak_bytes),
                        loaded(noted.reserved_peak_bytes),
                        loaded(noted.failed_requests),
                        loaded(noted.first_failed_bytes)};
    if (use.driver_peak_bytes > 0 || use.failed_requests > 0) report.devices.push_back(use);
  }
  report.unmodelled = named_counts(shared, EMU_NAME_UNMODELLED);
  report.unknown_sizes = named_counts(shared, EMU_NAME_UNKNOWN_SIZE);
  return report;
}

bool ran_out_of_memory(const Report& report) {
  return std::any_of(report.devices.begin(), report.devices.end(),
                     [](const DeviceUse& use) { return use.failed_requests > 0; });
}

std::string bytes_text(std::int64_t bytes) {
  return fmt::format("{} B ({})", with_thousands(bytes), format_bytes(bytes));
}

std::string memory_text(const Report& report, std::int64_t usable_bytes) {
  std::string text;
  if (report.devices.empty()) text += "  no device memory was asked for\n";
  for (std::size_t first = 0, last; first < report.devices.size(); first = last + 1) {
    const std::vector<DeviceUse>& all = report.devices;
    last = first;
    while (last + 1 < all.size() && all[last + 1].device == all[last].device + 1 &&
           alike(all[first], all[last + 1]))
      ++last;
    text += device_text(all[first], which_text(all, first, last), usable_bytes);
  }
  if (report.processes > 1)
    text += fmt::format("  largest of {} processes; the counts are of all\n", report.processes);
  return text;
}

std::string counts_text(const Report& report, std::size_t names) {
  std::string text =
      fmt::format("  {} kernel launches, {} blocking waits, {} to the device, {} to the host\n",
                  with_thousands(report.launches), with_thousands(report.synchronisations),
                  format_bytes(report.bytes_to_device), format_bytes(report.bytes_to_host));
  if (report.unbacked_copies > 0) {
    text += fmt::format("  large copies that were not kept, and read back as zero: {}\n",
                        with_thousands(report.unbacked_copies));
  }
  text += names_text("unmodelled calls", report.unmodelled, names);
  if (!report.unknown_sizes.empty())
    text += names_text("sizes unknown, taken as 0", report.unknown_sizes, names);
  return text;
}

std::string report_text(const Report& report, std::int64_t usable_bytes) {
  if (report.processes == 0) return "  the program did not use the device\n";
  return memory_text(report, usable_bytes) + counts_text(report, EMU_MAX_NAMES);
}

}  // namespace forerun::dryrun
