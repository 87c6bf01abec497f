// Every program that once crashed an emulated device, or got a wrong answer from it, at its
// smallest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/dry_run.h"

namespace forerun::test {
namespace {

using ::testing::HasSubstr;

TEST(Crashes, AreGone) {
  const CommandResult result = dry_run(
      {},
      {FORERUN_PYTHON, "-W", "ignore", FORERUN_SOURCE_DIR "/tests/emulator/programs/crashes.py"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "compiled_at_run_time (torch.Size([4]), torch.Size([4]))\n"
            "recurrent ([(5, 3, 8), (5, 3, 8), (5, 3, 8)], True)\n"
            "linear_algebra (6, 6)\n"
            "transforms ((33, 26), (400,))\n"
            "captured (8,)\n"
            "compiled (8,)\n"
            "profiled True\n"
            "grouped_product ((64, 16), (64, 32))\n"
            "pinned (False, True)\n"
            "connectionist_loss (10, 4, 6)\n"
            "batch_norm_of_cudnn True\n"
            "attention_of_cudnn (2, 4, 256, 64)\n"
            "shapes_from_data (2, 2, 16667, 0)\n");
  EXPECT_THAT(result.err, HasSubstr("unmodelled calls: none"));
  // Sizes nobody but NVIDIA knows are named, one line each.
  for (const char* size :
       {"cuDNN CTC loss workspace", "cuDNN RNN reserve space", "cuDNN dropout states",
        "cuDNN batch norm reserve space", "cuDNN execution plan workspace", "cuFFT plan workspace",
        "cuSOLVER workspace"}) {
    EXPECT_THAT(result.err, HasSubstr(std::string("unknown size: ") + size));
  }
}

TEST(Crashes, AnUnknownGpuIsNoGpu) {
  const CommandResult result = dry_run({"--gpu", "h1000"}, {"true"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("h1000"));
  EXPECT_EQ(result.out, "");
}

}  // namespace
}  // namespace forerun::test
