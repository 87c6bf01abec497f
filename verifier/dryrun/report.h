// What a program did on the emulated device, as the emulator's libraries noted it in the report
// they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "verifier/dryrun/shared_memory.h"

namespace forerun::dryrun {

struct DeviceUse {
  int device = 0;
  std::int64_t driver_peak_bytes = 0;  // handed out by cudaMalloc and its relatives, in 2 MiB pages
  std::int64_t allocated_peak_bytes =
      0;  // PyTorch's caching allocator; 0 when PyTorch was not used
  std::int64_t reserved_peak_bytes = 0;
  std::int64_t failed_requests = 0;  // cudaMalloc calls that did not fit
  std::int64_t first_failed_bytes = 0;
  bool operator==(const DeviceUse&) const = default;
};

struct NamedCount {
  std::string name;
  std::int64_t count = 0;
};

struct Report {
  std::int64_t processes = 0;  // that used the device
  std::int64_t launches = 0;
  std::int64_t synchronisations = 0;
  std::int64_t bytes_to_device = 0;
  std::int64_t bytes_to_host = 0;
  std::int64_t unbacked_copies = 0;    // to the device, too large to keep: they read back as zero
  std::vector<DeviceUse> devices;      // those that were used
  std::vector<NamedCount> unmodelled;  // entry points that answered "not supported", by name
  std::vector<NamedCount>
      unknown_sizes;  // sizes only NVIDIA's libraries know, taken as zero, by name
};

// The memory the emulator writes its report into.
class SharedReport {
 public:
  // Errors: those of SharedMemory::create.
  static Result<SharedReport> create();

  std::string path() const { return memory_.path(); }  // for kReportVariable
  Report read() const;

 private:
  explicit SharedReport(SharedMemory memory) : memory_(std::move(memory)) {}
  SharedMemory memory_;
};

// True when some cudaMalloc did not fit.
bool ran_out_of_memory(const Report& report);

// The report as lines of text: memory of each device against usable_bytes; counts and what was not
// modelled, of which at most `names` are named. report_text is both, with all the names.
std::string memory_text(const Report& report, std::int64_t usable_bytes);
std::string counts_text(const Report& report, std::size_t names);
std::string report_text(const Report& report, std::int64_t usable_bytes);

// "1,972,996,096 B (1881.6 MiB)"
std::string bytes_text(std::int64_t bytes);

}  // namespace forerun::dryrun
