// A thousand threads on the emulated device, watched by sanitizers: no error, no race, no leak.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/support/golden.h"

namespace forerun::test {
namespace {

using ::testing::HasSubstr;

CommandResult run_threads(const std::string& sanitizer, const std::string& threads,
                          const std::string& rounds) {
  setenv(
      "FORERUN_EMULATOR_PROFILE",
      "name=test\nvendor_name=Test GPU\ndevices=2\ncompute_major=9\ncompute_minor=0\n"
      "multiprocessors=4\nmax_threads_per_multiprocessor=2048\nmax_blocks_per_multiprocessor=32\n"
      "shared_memory_per_multiprocessor_bytes=233472\n"
      "shared_memory_per_block_optin_bytes=232448\nl2_cache_bytes=1048576\n"
      "memory_bandwidth_bytes_per_s=1000000000\ntotal_memory_bytes=21474836480\n"
      "context_bytes=25165824\n",
      1);
  return run_command({FORERUN_BINARY_DIR "/tests/emulated_threads_" + sanitizer, threads, rounds},
                     "", 300);
}

TEST(Stress, ThousandThreadsUnderAddressSanitizer) {
  const CommandResult result = run_threads("address", "1000", "4");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1000 threads, 4 rounds each"));
  EXPECT_EQ(result.err, "");
}

TEST(Stress, ThousandThreadsUnderThreadSanitizer) {
  const CommandResult result = run_threads("thread", "1000", "1");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1000 threads, 1 rounds each"));
  EXPECT_EQ(result.err, "");
}

}  // namespace
}  // namespace forerun::test
