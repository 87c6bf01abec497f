// Output files are the old one or the new one, whatever ends the run.
#include <filesystem>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files.h"
#include "tests/support/golden.h"

namespace forerun::test {
namespace {

namespace fs = std::filesystem;

std::string only_file(const std::string& folder) {
  std::string found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    found += (found.empty() ? "" : ", ") + entry.path().filename().string();
  }
  return found;
}

// A child that does nothing but write the file, over and over, until `signal` ends it.
void write_until(int signal, const std::string& path, std::size_t size_bytes, int wait_us) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (char letter = 'a';; letter = letter == 'z' ? 'a' : static_cast<char>(letter + 1)) {
      if (!write_file(path, std::string(size_bytes, letter))) ::_exit(1);
    }
  }
  ::usleep(static_cast<useconds_t>(wait_us));
  ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << "status " << status;
}

TEST(WriteFile, AnInterruptLeavesAWholeFileAndNothingBeside) {
  const TemporaryFolder folder;
  const std::string path = folder.write("report.json", "old");
  constexpr std::size_t kSizeBytes = 4u << 20;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    for (int wait_us = 500; wait_us < 20'000; wait_us += 1'777) {
      write_until(signal, path, kSizeBytes, wait_us);
      EXPECT_EQ(only_file(folder.path()), "report.json");
      const std::string text = read_all(path);
      const bool whole = text == "old" || text == std::string(kSizeBytes, text[0]);
      EXPECT_TRUE(whole) << text.size() << " bytes, signal " << signal;
    }
  }
}

TEST(WriteFile, AFullDiskLeavesTheOldFile) {
  const Status written = write_file("/dev/full", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(to_string(written.error()), "/dev/full: error: cannot write: No space left on device");
}

TEST(WriteFile, AFolderIsNotWrittenTo) {
  const TemporaryFolder folder;
  const Status written = write_file(folder.path(), "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(to_string(written.error()), folder.path() + ": error: cannot write: is a directory");
}

TEST(WriteFile, AMissingFolderIsNamed) {
  const TemporaryFolder folder;
  const Status written = write_file(folder.path() + "/no/report.json", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(to_string(written.error()),
            folder.path() + "/no/report.json: error: cannot write: No such file or directory");
}

}  // namespace
}  // namespace forerun::test
