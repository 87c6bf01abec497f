// The variables a program on the emulated device starts with.
#include "verifier/dryrun/environment.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace forerun::dryrun {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

EmulatedMachine machine() { return {*devices::find("a100-sxm-80gb"), 2}; }

TEST(Profile, SaysEverythingOneALine) {
  EXPECT_EQ(profile_text(machine()),
            "name=a100-sxm-80gb\n"
            "vendor_name=NVIDIA A100-SXM4-80GB\n"
            "devices=2\n"
            "compute_major=8\n"
            "compute_minor=0\n"
            "multiprocessors=108\n"
            "max_threads_per_multiprocessor=2048\n"
            "max_blocks_per_multiprocessor=32\n"
            "shared_memory_per_multiprocessor_bytes=167936\n"
            "shared_memory_per_block_optin_bytes=166912\n"
            "l2_cache_bytes=41943040\n"
            "memory_bandwidth_bytes_per_s=2039000000000\n"
            "total_memory_bytes=84987084800\n"
            "context_bytes=536870912\n");
}

TEST(Profile, ANameIsOneShortLine) {
  EmulatedMachine strange = machine();
  strange.device.name = "a\nb" + std::string(100, 'x');
  EXPECT_THAT(profile_text(strange),
              StartsWith("name=a_b" + std::string(60, 'x') + "\nvendor_name="));
}

TEST(Environment, PutsTheEmulatorInFrontOfWhatWasThere) {
  test::TemporaryFolder folder;
  folder.write("emulator/libcudart.so.13", "");
  folder.write("emulator/libcuda.so.1", "");
  folder.write("emulator/notes.txt", "");
  const std::string at = folder.path() + "/emulator";
  const Result<std::vector<std::string>> result =
      environment(machine(), at,
                  {"HOME=/h", "LD_PRELOAD=mine.so", "LD_LIBRARY_PATH=/mine",
                   "FORERUN_EMULATOR_REPORT=/proc/1/fd/3", "FORERUN_EMULATOR_PROFILE=old"});
  ASSERT_TRUE(result);
  EXPECT_THAT(*result,
              ElementsAre("HOME=/h",
                          "LD_PRELOAD=" + at + "/libcuda.so.1:" + at + "/libcudart.so.13:mine.so",
                          "LD_LIBRARY_PATH=" + at + ":/mine",
                          "FORERUN_EMULATOR_PROFILE=" + profile_text(machine())));
}

TEST(Environment, VariablesThatOnlyBeginAlikeStay) {
  test::TemporaryFolder folder;
  folder.write("libcudart.so.13", "");
  const auto result = environment(machine(), folder.path(), {"LD_PRELOAD_NOTE=1", "LD_PRELOAD"});
  ASSERT_TRUE(result);
  EXPECT_THAT(*result, Contains("LD_PRELOAD_NOTE=1"));
  EXPECT_THAT(*result, Contains("LD_PRELOAD"));
}

TEST(FindEmulator, BesideTheExecutableUnlessNamed) {
  test::TemporaryFolder folder;
  folder.write("lib/forerun/emulator/libcudart.so.13", "");
  folder.write("elsewhere/libcudart.so.12", "");
  const std::string beside =
      std::filesystem::path(folder.path() + "/lib/forerun/emulator").string();
  EXPECT_EQ(*find_emulator(folder.path() + "/bin", ""), beside);
  EXPECT_EQ(*find_emulator(folder.path() + "/bin", folder.path() + "/elsewhere"),
            folder.path() + "/elsewhere");
}

TEST(FindEmulator, SaysWhereItLooked) {
  test::TemporaryFolder folder;
  folder.write("empty/readme", "");
  const auto missing = find_emulator(folder.path() + "/bin", "");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr(folder.path() + "/lib/forerun/emulator"));
  EXPECT_THAT(missing.error().accepted, HasSubstr("FORERUN_EMULATOR"));
  const auto empty = find_emulator("", folder.path() + "/empty");
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().message, HasSubstr("libcudart.so is not there"));
}

TEST(FindEmulator, RefusesPathsThatCannotBePreloaded) {
  test::TemporaryFolder folder;
  folder.write("with space/libcudart.so.13", "");
  const auto result = find_emulator("", folder.path() + "/with space");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("LD_PRELOAD separates"));
}

}  // namespace
}  // namespace forerun::dryrun
