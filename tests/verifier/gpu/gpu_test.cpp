// The same on a real GPU, where there is one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/golden.h"
#include "verifier/run/run.h"

namespace forerun {
namespace {

const std::string kTool = FORERUN_BINARY_DIR "/bin/forerun-verify";

class Gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!run::cuda_is_available()) GTEST_SKIP() << "no CUDA device here";
  }
};

// An H100 and an H200 answer the allocator's questions alike; other GPUs need their own profile.
TEST_F(Gpu, StepPeakIsMeasuredAndPredictedToTheByte) {
  const run::CudaDevice device = run::cuda_device();
  if (device.compute_major != 9 || device.multiprocessors != 132) {
    GTEST_SKIP() << "the expected bytes are for compute capability 9.0 and 132 SMs, this is a "
                 << device.name;
  }
  const auto result = test::run_command({kTool, FORERUN_SOURCE_DIR "/examples/step_peak.yaml",
                                         "--device", "cuda", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["measurement"]["device"], "cuda");
  EXPECT_EQ(json["measurement"]["memory"]["steps"][0]["peak_allocated_bytes"], 1'307'148'800);
  EXPECT_EQ(json["measurement"]["memory"]["steps"][0]["peak_reserved_bytes"], 1'650'458'624);
}

TEST_F(Gpu, ProbeIsReady) {
  const auto result = test::run_command({kTool, "probe", "--device", "cuda"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out.substr(0, result.out.find('\n')));
  EXPECT_EQ(json["state"], "CUDA_READY");
  EXPECT_EQ(json["emulated"], false);
  EXPECT_GT(json["samples_per_second"].get<double>(), 0);
}

}  // namespace
}  // namespace forerun
