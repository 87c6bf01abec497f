#include "estimator/ops/reduction.h"

#include <gtest/gtest.h>

namespace forerun::ops {
namespace {

devices::Device gpu(int multiprocessors, int threads) {
  devices::Device device;
  device.multiprocessors = multiprocessors;
  device.max_threads_per_multiprocessor = threads;
  return device;
}

std::int64_t buffer(const Reduction& reduction, const devices::Device& device) {
  const ReductionPlan made = plan(reduction, device);
  EXPECT_EQ(made.launches.size(), 1u);
  return made.launches[0].buffer_bytes;
}

// Sums over the rows of [rows, columns] on 132 multiprocessors; the first column of figures was
// read off a GPU where the lesson's printed digit fixes it (65536 x 1024), the others follow from
// the same source.
TEST(BiasGradient, ScratchOnAnH100) {
  struct Row {
    std::int64_t rows, columns, bytes;
  };
  for (const Row& row :
       {Row{512, 1024, 0}, Row{2048, 1024, 16'777'216}, Row{4096, 1024, 33'554'432},
        Row{8192, 1024, 67'108'864}, Row{8192, 4096, 138'412'032}, Row{8192, 16384, 142'606'336},
        Row{65536, 1024, 138'412'032}, Row{65536, 64, 8'388'608}, Row{65536, 10, 20'480},
        Row{2048, 50257, 0}}) {
    EXPECT_EQ(buffer({row.rows, row.columns, Reduction::Over::Outer}, gpu(132, 2048)), row.bytes)
        << row.rows << " x " << row.columns;
  }
}

TEST(BiasGradient, ScratchFollowsTheMultiprocessors) {
  const Reduction sum{65536, 1024, Reduction::Over::Outer};
  EXPECT_EQ(buffer(sum, gpu(108, 2048)), 113'246'208);
  EXPECT_NE(buffer(sum, gpu(40, 1024)), buffer(sum, gpu(132, 2048)));
}

TEST(Mean, AFewNumbersABlock) {
  EXPECT_EQ(buffer({1, 1000, Reduction::Over::Inner}, gpu(132, 2048)), 0);
  EXPECT_GT(buffer({1, 1 << 24, Reduction::Over::Inner}, gpu(132, 2048)), 0);
  EXPECT_LT(buffer({1, 1 << 24, Reduction::Over::Inner}, gpu(132, 2048)), 1 << 20);
}

// Offsets beyond 31 bits: halves of the larger dimension, one after the other; 16-bit results need
// somewhere to add up.
TEST(Large, SplitsAndAccumulates) {
  const devices::Device h100 = gpu(132, 2048);
  const ReductionPlan fits = plan({65536, 8192, Reduction::Over::Outer}, h100);
  EXPECT_EQ(fits.launches.size(), 1u);
  const ReductionPlan wide = plan({131072, 8192, Reduction::Over::Outer}, h100);
  EXPECT_EQ(wide.launches.size(), 2u);
  EXPECT_EQ(wide.accumulator_bytes, 0);
  const ReductionPlan narrow =
      plan({262144, 8192, Reduction::Over::Outer, DType::BFloat16, DType::BFloat16}, h100);
  EXPECT_EQ(narrow.launches.size(), 2u);
  EXPECT_EQ(narrow.accumulator_bytes, 4 * 8192);
}

}  // namespace
}  // namespace forerun::ops
