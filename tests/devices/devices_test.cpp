// Device profiles: what every embedded one must hold, numbers with a public source, and each way a
// profile can be wrong.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/units.h"
#include "estimator/devices/device.h"
#include "tests/support/golden.h"

namespace forerun::devices {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const std::string kGood =
    test::read_all(FORERUN_SOURCE_DIR "/estimator/devices/h100-sxm-80gb.json");

std::string with(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string problem(const std::string& json) {
  const Result<Device> device = parse(json, "mine.json");
  EXPECT_FALSE(device);
  return device ? "" : to_string(device.error());
}

TEST(Devices, EveryEmbeddedProfileIsWhole) {
  ASSERT_GE(names().size(), 34u);
  for (const std::string& name : names()) {
    const Result<Device> device = find(name);
    ASSERT_TRUE(device) << to_string(device.error());
    EXPECT_EQ(device->name, name);
    EXPECT_GT(device->usable_bytes(), 5 * kGiB) << name;
    EXPECT_TRUE(device->peak_flops_per_s.contains("fp32")) << name;
  }
}

TEST(Devices, NamesAreSorted) {
  const std::vector<std::string> all = names();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  for (const char* name :
       {"h100-sxm-80gb", "a100-sxm-80gb", "rtx-4090", "t4", "l40s", "b200-sxm", "h200-sxm"}) {
    EXPECT_THAT(all, Contains(name));
  }
}

// Capacity as PyTorch's OutOfMemoryError prints it on the real card, in GiB with two digits.
TEST(Devices, CapacityIsWhatTheCardReports) {
  const std::pair<const char*, double> printed[] = {
      {"h100-sxm-80gb", 79.19}, {"h200-sxm", 139.80}, {"b200-sxm", 178.36},
      {"a100-sxm-80gb", 79.15}, {"l4", 22.03},        {"t4", 14.75},
      {"rtx-4090", 23.64}};
  for (const auto& [name, gib] : printed) {
    EXPECT_NEAR(static_cast<double>(find(name)->total_memory_bytes) / kGiB, gib, 0.011) << name;
  }
}

TEST(Devices, ComputeCapabilityDecidesTheLimits) {
  const Result<Device> t4 = find("t4");
  EXPECT_EQ(t4->compute_major * 10 + t4->compute_minor, 75);
  EXPECT_EQ(t4->max_threads_per_multiprocessor, 1024);
  EXPECT_EQ(t4->max_blocks_per_multiprocessor, 16);
  EXPECT_FALSE(
      t4->peak_flops_per_s.contains("bf16"));  // Turing has no bf16 tensor cores: absent, not zero
  const Result<Device> b200 = find("b200-sxm");
  EXPECT_EQ(b200->compute_major, 10);
  EXPECT_EQ(b200->multiprocessors, 148);
  EXPECT_EQ(b200->shared_memory_per_block_optin_bytes, 227 * kKiB);
}

TEST(Devices, UnknownNameSuggests) {
  const Result<Device> device = find("h100-sxm-80g");
  ASSERT_FALSE(device);
  EXPECT_THAT(device.error().message, HasSubstr("unknown GPU 'h100-sxm-80g'"));
  EXPECT_THAT(device.error().accepted, HasSubstr("did you mean 'h100-sxm-80gb'?"));
  EXPECT_THAT(device.error().accepted, HasSubstr("a100-sxm-80gb"));
}

TEST(Devices, OwnFile) {
  test::TemporaryFolder folder;
  const Result<Device> device = find(folder.write("big-one.json", with("132", "264")));
  ASSERT_TRUE(device) << to_string(device.error());
  EXPECT_EQ(device->name, "big-one");
  EXPECT_EQ(device->multiprocessors, 264);
  EXPECT_THAT(to_string(find(folder.path() + "/absent.json").error()), HasSubstr("cannot open"));
}

TEST(Devices, WrongProfilesSayWhere) {
  EXPECT_THAT(problem("{\"vendor_name\": 3"), HasSubstr("mine.json:1:"));
  EXPECT_THAT(problem("[]"), HasSubstr("a list is not a device profile"));
  EXPECT_THAT(problem("7"), HasSubstr("a lone value is not a device profile"));
  EXPECT_THAT(problem("{}"), HasSubstr("vendor_name is missing"));
  EXPECT_THAT(problem(""), HasSubstr("not JSON"));
  EXPECT_THAT(problem(with("\"multiprocessors\": 132", "\"multiprocessors\": -1")),
              HasSubstr("mine.json:4:3: error: multiprocessors is -1"));
  EXPECT_THAT(problem(with("\"multiprocessors\": 132", "\"multiprocessors\": 1.5")),
              HasSubstr("multiprocessors is 1.5"));
  EXPECT_THAT(problem(with("\"multiprocessors\": 132", "\"multiprocessors\": \"132\"")),
              HasSubstr("multiprocessors is a text"));
  EXPECT_THAT(problem(with("\"multiprocessors\": 132", "\"multiprocessors\": null")),
              HasSubstr("multiprocessors is null"));
  EXPECT_THAT(problem(with("\"multiprocessors\": 132", "\"multiprocesors\": 132")),
              HasSubstr("did you mean 'multiprocessors'?"));
  EXPECT_THAT(problem(with("\"9.0\"", "\"nine\"")),
              HasSubstr("mine.json:3:3: error: compute_capability is 'nine'"));
  EXPECT_THAT(problem(with("\"9.0\"", "\"9.0x\"")), HasSubstr("compute_capability"));
  EXPECT_THAT(problem(with("\"context_bytes\": 536870912", "\"context_bytes\": 99999999999999")),
              HasSubstr("leaves nothing"));
  EXPECT_THAT(problem(with("\"total_memory_bytes\": 85027979264", "\"total_memory_bytes\": 1e300")),
              HasSubstr("total_memory_bytes is"));
  EXPECT_THAT(problem(with("\"bf16\": 989400000000000", "\"bf16\": 0")),
              HasSubstr("must be a number above 0"));
  EXPECT_THAT(problem(with("\"bf16\": 989400000000000", "\"bf17\": 1")),
              HasSubstr("unknown field 'bf17'"));
  EXPECT_THAT(problem(with("\"bf16\": 989400000000000", "\"bf16\": {}")), HasSubstr("this deep"));
  EXPECT_THAT(problem(with("\"multiprocessors\": 132,",
                           "\"multiprocessors\": 132, \"multiprocessors\": 4,")),
              HasSubstr("multiprocessors is given twice"));
  EXPECT_THAT(problem(with("    \"multiprocessors\": \"https",
                           "    \"l2_cache_bytes\": \"x\", \"vendor_name\": \"https")),
              HasSubstr("given twice"));
}

TEST(Devices, NamesAreOneLine) {
  EXPECT_THAT(problem(with("NVIDIA H100 80GB HBM3", "two\\nlines")),
              HasSubstr("mine.json:2:3: error: vendor_name must be one line"));
  EXPECT_THAT(problem(with("NVIDIA H100 80GB HBM3", "")),
              HasSubstr("vendor_name must be one line"));
  EXPECT_THAT(problem(with("NVIDIA H100 80GB HBM3", std::string(128, 'x'))),
              HasSubstr("vendor_name must be one line"));
}

TEST(Devices, EveryNumberNeedsASource) {
  const std::string text =
      with("    \"multiprocessors\": \"https://www.nvidia.com/en-us/data-center/h100/\",\n", "");
  EXPECT_THAT(problem(text),
              HasSubstr("mine.json:4:3: error: multiprocessors has no entry in sources"));
}

TEST(Devices, HugeFileIsRefused) {
  EXPECT_THAT(problem(std::string(1 << 20, ' ')), HasSubstr("at most 65536 are read"));
  EXPECT_THAT(problem(std::string(60000, '[')), HasSubstr("a list"));
}

}  // namespace
}  // namespace forerun::devices
