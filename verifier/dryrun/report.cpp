#include "verifier/dryrun/report.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

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

std::string bytes_text(std::int64_t bytes) {
  return fmt::format("{} B ({})", with_thousands(bytes), format_bytes(bytes));
}

std::string device_text(const DeviceUse& use, bool several, std::int64_t usable_bytes) {
  const std::string which = several ? fmt::format("device {}: ", use.device) : std::string();
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

std::string names_text(const char* title, const std::vector<NamedCount>& names) {
  if (names.empty()) return fmt::format("  {}: none\n", title);
  std::string text = fmt::format("  {}:\n", title);
  for (const NamedCount& entry : names)
    text += fmt::format("    {} x {}\n", entry.name, entry.count);
  return text;
}

}  // namespace

Result<SharedReport> SharedReport::create() {
  const int fd = ::memfd_create("forerun-report", MFD_CLOEXEC);
  if (fd < 0) return error(fmt::format("cannot make a report: {}", std::strerror(errno)));
  void* mapped =
      ::ftruncate(fd, sizeof(EmuReport)) != 0
          ? MAP_FAILED
          : ::mmap(nullptr, sizeof(EmuReport), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) {
    const int reason = errno;
    ::close(fd);
    return error(fmt::format("cannot make a report: {}", std::strerror(reason)));
  }
  static_cast<EmuReport*>(mapped)->magic = EMU_REPORT_MAGIC;
  return SharedReport(fd, mapped);
}

SharedReport::SharedReport(SharedReport&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), mapped_(std::exchange(other.mapped_, nullptr)) {}

SharedReport::~SharedReport() {
  if (mapped_ != nullptr) ::munmap(mapped_, sizeof(EmuReport));
  if (fd_ >= 0) ::close(fd_);
}

std::string SharedReport::path() const { return fmt::format("/proc/{}/fd/{}", ::getpid(), fd_); }

Report SharedReport::read() const {
  const auto& shared = *static_cast<const EmuReport*>(mapped_);
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

std::string report_text(const Report& report, std::int64_t usable_bytes) {
  if (report.processes == 0) return "  the program did not use the device\n";
  std::string text;
  if (report.devices.empty()) text += "  no device memory was asked for\n";
  for (const DeviceUse& use : report.devices)
    text += device_text(use, report.devices.size() > 1, usable_bytes);
  if (report.processes > 1)
    text += fmt::format("  largest of {} processes; the counts are of all\n", report.processes);
  text += fmt::format("  {} kernel launches, {} blocking waits, {} to the device, {} to the host\n",
                      with_thousands(report.launches), with_thousands(report.synchronisations),
                      format_bytes(report.bytes_to_device), format_bytes(report.bytes_to_host));
  if (report.unbacked_copies > 0) {
    text += fmt::format("  large copies that were not kept, and read back as zero: {}\n",
                        with_thousands(report.unbacked_copies));
  }
  text += names_text("unmodelled calls", report.unmodelled);
  if (!report.unknown_sizes.empty())
    text += names_text("sizes unknown, taken as 0", report.unknown_sizes);
  return text;
}

}  // namespace forerun::dryrun
