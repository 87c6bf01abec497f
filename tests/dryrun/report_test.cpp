// The report as the emulator's libraries leave it in shared memory, and as text.
#include "verifier/dryrun/report.h"

#include <cstdio>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "verifier/dryrun/report_layout.h"

namespace forerun::dryrun {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Maps a report the way a process of the program does.
class Writer {
 public:
  explicit Writer(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDWR);
    void* at = fd < 0
                   ? MAP_FAILED
                   : ::mmap(nullptr, sizeof(EmuReport), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) ::close(fd);
    if (at != MAP_FAILED) report_ = static_cast<EmuReport*>(at);
  }
  ~Writer() {
    if (report_ != nullptr) ::munmap(report_, sizeof(EmuReport));
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  EmuReport* operator->() { return report_; }
  bool ok() const { return report_ != nullptr && report_->magic == EMU_REPORT_MAGIC; }

  void name(int slot, std::uint32_t kind, const char* text, std::uint64_t count) {
    EmuNamedCount& entry = report_->names[slot];
    std::snprintf(entry.name, sizeof entry.name, "%s", text);
    entry.kind = kind;
    entry.count = count;
    entry.state = 2;
  }

 private:
  EmuReport* report_ = nullptr;
};

TEST(Report, AnUntouchedOneSaysSo) {
  const Result<SharedReport> shared = SharedReport::create();
  ASSERT_TRUE(shared);
  EXPECT_EQ(report_text(shared->read(), 1), "  the program did not use the device\n");
  EXPECT_FALSE(ran_out_of_memory(shared->read()));
}

TEST(Report, ReadsWhatAProcessWrote) {
  const Result<SharedReport> shared = SharedReport::create();
  ASSERT_TRUE(shared);
  Writer writer(shared->path());
  ASSERT_TRUE(writer.ok());
  writer->processes = 2;
  writer->launches = 1234;
  writer->synchronisations = 5;
  writer->bytes_to_device = 1 << 20;
  writer->bytes_to_host = 4;
  writer->unbacked_copies = 1;
  writer->devices[1] = {6 << 20, 5 << 20, 6 << 20, 2, 1 << 30};
  writer.name(0, EMU_NAME_UNMODELLED, "cudaOne", 1);
  writer.name(1, EMU_NAME_UNKNOWN_SIZE, "cuDNN workspace", 3);
  writer.name(2, EMU_NAME_UNMODELLED, "cudaAnother", 2);
  writer.name(3, EMU_NAME_UNMODELLED, "cudaOne", 10);  // claimed by a second process
  writer.name(4, EMU_NAME_UNMODELLED, "half written", 1);
  writer->names[4].state = 1;

  const Report report = shared->read();
  EXPECT_TRUE(ran_out_of_memory(report));
  EXPECT_EQ(
      report_text(report, 8 << 20),
      "  6,291,456 B (6.0 MiB) handed out by cudaMalloc at most, of 8,388,608 B (8.0 MiB) usable\n"
      "  PyTorch's allocator: 5,242,880 B (5.0 MiB) allocated, 6,291,456 B (6.0 MiB) reserved at "
      "most\n"
      "  2 requests did not fit, the first of 1,073,741,824 B (1024.0 MiB)\n"
      "  largest of 2 processes; the counts are of all\n"
      "  1,234 kernel launches, 5 blocking waits, 1.0 MiB to the device, 4 B to the host\n"
      "  large copies that were not kept, and read back as zero: 1\n"
      "  unmodelled calls:\n"
      "    cudaAnother x 2\n"
      "    cudaOne x 11\n"
      "  sizes unknown, taken as 0:\n"
      "    cuDNN workspace x 3\n");
}

TEST(Report, SeveralDevicesAreNumbered) {
  const Result<SharedReport> shared = SharedReport::create();
  Writer writer(shared->path());
  ASSERT_TRUE(writer.ok());
  writer->processes = 1;
  writer->devices[0].driver_peak_bytes = 2 << 20;
  writer->devices[3].driver_peak_bytes = 4 << 20;
  const std::string text = report_text(shared->read(), 8 << 20);
  EXPECT_THAT(text, HasSubstr("device 0: 2,097,152 B"));
  EXPECT_THAT(text, HasSubstr("device 3: 4,194,304 B"));
  EXPECT_THAT(text, Not(HasSubstr("PyTorch's allocator")));
  EXPECT_THAT(text, HasSubstr("unmodelled calls: none"));
}

TEST(Report, DevicesThatAreAlikeAreOne) {
  Report report;
  report.processes = 4;
  for (int i = 0; i < 8; ++i) report.devices.push_back({i, i == 5 ? 2 << 20 : 4 << 20, 0, 0, 0, 0});
  const std::string text = report_text(report, 8 << 20);
  EXPECT_THAT(text, HasSubstr("devices 0 to 4, each: 4,194,304 B"));
  EXPECT_THAT(text, HasSubstr("device 5: 2,097,152 B"));
  EXPECT_THAT(text, HasSubstr("devices 6 to 7, each: 4,194,304 B"));
}

// A program that fills the table leaves a report that reads.
TEST(Report, AFullTable) {
  const Result<SharedReport> shared = SharedReport::create();
  Writer writer(shared->path());
  ASSERT_TRUE(writer.ok());
  const std::string longest(200, 'x');
  for (int i = 0; i < EMU_MAX_NAMES; ++i) writer.name(i, EMU_NAME_UNMODELLED, longest.c_str(), 1);
  const Report report = shared->read();
  ASSERT_EQ(report.unmodelled.size(), 1u);
  EXPECT_EQ(report.unmodelled[0].count, EMU_MAX_NAMES);
}

}  // namespace
}  // namespace forerun::dryrun
