// Figures printed by other people on real GPUs; scripts/check_gpu_figures compares many more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/dry_run.h"

namespace forerun::test {
namespace {

using ::testing::HasSubstr;

std::string small(const std::string& gpu, const std::vector<std::string>& program) {
  std::vector<std::string> command{FORERUN_PYTHON, "-W", "ignore",
                                   FORERUN_SOURCE_DIR "/tests/emulator/figures/small.py"};
  command.insert(command.end(), program.begin(), program.end());
  const CommandResult result = dry_run({"--gpu", gpu}, command);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return result.out;
}

// pytorch/pytorch issue 95668: cuBLAS's workspace is what one Linear leaves behind.
TEST(Figures, WorkspaceOnA10G) {
  EXPECT_EQ(small("a10g", {"linear_left"}), "{\"left\": 8519680}\n");
}

// pytorch/pytorch issue 72450.
TEST(Figures, SoftmaxInHalfPrecision) {
  EXPECT_EQ(small("a100-sxm-80gb", {"softmax5"}),
            "{\"alloc\": 3019898880, \"forward\": 6039798272, \"backward\": 9059697152, \"max\": "
            "15099495424}\n");
}

// mgmalek/efficient_cross_entropy, benchmark_data: 15 figures of one process, in GB to the byte.
TEST(Figures, ProjectionAndLoss) {
  EXPECT_EQ(small("rtx-3090", {"proj_sweep"}),
            "{\"classes\": [293798912, 503383040, 939590656, 1812005888, 3556836352, 7046497280], "
            "\"tokens\": [687875072, 1090536448, 1912636416, 3556836352, 6845236224], "
            "\"dim\": [3389064192, 3556836352, 3892380672, 4563469312]}\n");
}

// NVIDIA/TileGym pull 65: 242.255, 338.259, 532.267, 920.282, 1696.313 and 3248.376 MiB.
TEST(Figures, LinearAndLossOnARtx5070Ti) {
  EXPECT_EQ(small("rtx-5070-ti", {"lce_train"}),
            "{\"rows\": [254022656, 354690048, 558121984, 964985856, 1778713600, 3406169088]}\n");
}

// stas00/ml-engineering, debug chapter: 10.00 GiB are free there, and 139 GiB fit on an H200.
TEST(Figures, WhatIsLeftOnAB200AndAnH200) {
  EXPECT_THAT(
      small("b200-sxm", {"oom", "15e9", "0"}),
      HasSubstr("Tried to allocate 55.88 GiB. GPU 0 has a total capacity of 178.36 GiB of which "
                "10.01 GiB is free. Including non-PyTorch memory, this process has 168.35 GiB "
                "memory in use. Of the allocated memory 167.64 GiB is allocated by PyTorch, and "
                "4.62 MiB is reserved by PyTorch but unallocated."));
  EXPECT_THAT(small("h200-sxm", {"fill"}), HasSubstr("{\"fit\": 139,"));
}

}  // namespace
}  // namespace forerun::test
