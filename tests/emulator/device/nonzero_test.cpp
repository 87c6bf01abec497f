// Counts of what is not zero, as PyTorch's nonzero() launches them.
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

extern "C" {
#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/copy.h"
#include "verifier/emulator/device/memory.h"
#include "verifier/emulator/device/nonzero.h"
}

namespace {

const std::string kReduce = "_ZN14at_cuda_detail3cub6detail6reduce";
const std::string kPolicy = "INS2_10policy_hubIiyN4cuda3std3__44plusIvEEE10Policy1000E";

std::string iterator_over(const std::string& element) {
  return "N6thrust45THRUST_300001_SM_750_NS18transform_iteratorIN2at6native12_GLOBAL__N_"
         "19NonZeroOpI" +
         element + "EEPK" + element + "NSD_11use_defaultESM_EE";
}

class Nonzero : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(emu_device_allocate(0, 4 << 20, EMU_ALLOCATION, &input_), EMU_OK);
    output_ = input_ + (2 << 20);
  }
  void TearDown() override { emu_device_free(input_, EMU_ALLOCATION); }

  template <class T>
  int count(const std::string& element, const std::vector<T>& values) {
    emu_copy(reinterpret_cast<void*>(input_), values.data(), values.size() * sizeof(T));
    const std::string name =
        kReduce + "28DeviceReduceSingleTileKernel" + kPolicy + iterator_over(element) + "PiyS9_ii";
    EXPECT_EQ(emu_counting(name.c_str()), EMU_COUNTS_NONZERO);
    std::uint64_t rows = values.size();
    void* arguments[] = {&input_, &output_, &rows};
    emu_count_nonzero(name.c_str(), arguments);
    return found();
  }

  int found() const {
    int value = -1;
    emu_copy(&value, reinterpret_cast<void*>(output_), sizeof value);
    return value;
  }

  std::uint64_t input_ = 0, output_ = 0;
};

TEST_F(Nonzero, CountsEachTypeOfElement) {
  EXPECT_EQ(count<float>("f", {1.0f, 0.0f, -0.0f, -2.0f}), 2);  // minus zero is zero
  EXPECT_EQ(count<double>("d", {0.0, 1e-300, -0.0}), 1);
  EXPECT_EQ(count<std::int64_t>("l", {0, 1ll << 63, 5}), 2);
  EXPECT_EQ(count<unsigned char>("b", {1, 0, 1}), 2);
  EXPECT_EQ(count<std::uint16_t>("N3c108BFloat16E", {0x8000, 0x3f80, 0}), 1);
}

TEST_F(Nonzero, TypesOfNoKnownSizeCountNothing) {
  EXPECT_EQ(count<std::uint64_t>("N3c107complexIfEE", {1, 2}), 0);
}

TEST_F(Nonzero, ManyBlocksAndTheirSum) {
  const std::vector<unsigned char> values(100000, 1);
  emu_copy(reinterpret_cast<void*>(input_), values.data(), values.size());
  const std::string many =
      kReduce + "18DeviceReduceKernel" + kPolicy + iterator_over("b") + "yS9_iNS7_10__identityE";
  ASSERT_EQ(emu_counting(many.c_str()), EMU_COUNTS_NONZERO);
  std::uint64_t partial = output_ + 4096, rows = values.size();
  void* arguments[] = {&input_, &partial, &rows};
  emu_count_nonzero(many.c_str(), arguments);
  const std::string last =
      kReduce + "28DeviceReduceSingleTileKernel" + kPolicy + "PiSC_iS9_iiNS7_10__identityE";
  ASSERT_EQ(emu_counting(last.c_str()), EMU_ADDS_COUNTS);
  int blocks = 25;
  void* sums[] = {&partial, &output_, &blocks};
  emu_add_counts(sums);
  EXPECT_EQ(found(), 100000);
}

TEST_F(Nonzero, OtherReductionsAreLeftAlone) {
  for (const std::string& name :
       {kReduce + "28DeviceReduceSingleTileKernel" + kPolicy + "PfSC_iS9_ff",
        kReduce + "28DeviceReduceSingleTileKernelINS2_10policy_hubIiyN4cuda3std3__47maximumIvEEE"
                  "10Policy1000EPiSC_iS9_ii",
        std::string("_ZN2at6native9NonZeroOpIfE")}) {
    EXPECT_EQ(emu_counting(name.c_str()), EMU_COUNTS_NOTHING) << name;
  }
}

}  // namespace
