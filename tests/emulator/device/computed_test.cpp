// The few kernels whose results are kept, launched as PyTorch launches them.
#include <cstring>

#include <gtest/gtest.h>

extern "C" {
#include "verifier/emulator/device/computed.h"
#include "verifier/emulator/device/contents.h"
#include "verifier/emulator/device/memory.h"
}

namespace forerun::test {
namespace {

constexpr char kFill[] =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_"
    "T1_";
constexpr char kCastingFill[] =
    "_ZN2at6native27unrolled_elementwise_kernelINS0_11FillFunctorIfEESt5arrayIPcLm1EELi4E23Trivial"
    "OffsetCalculatorILi0EjES7_ILi1EjENS0_6memory12LoadWithCastILi0EEENSA_13StoreWithCastILi1EEEEEv"
    "iT_T0_T2_T3_T4_T5_";
constexpr char kAdd[] =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_21CUDAFunctorOnSelf_addIlEESt5arrayIPcLm2"
    "EEEEviT0_T1_";
constexpr char kAddEach[] =
    "_ZN2at6native57_GLOBAL__N__e658eeb9_24_ForeachBinaryOpScalar_cu_86b9896c25multi_tensor_apply_"
    "kernelINS1_18TensorListMetadataILi1EEENS1_"
    "21BinaryOpScalarFunctorIfLi1ELi1ELi0EEEJSt4plusIfEfEEE"
    "vT_T0_DpT1_";
constexpr char kAll[] =
    "_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIbNS0_14func_wrapper_tIbZZZNS0_15and_"
    "kernel_"
    "cudaERNS_14TensorIteratorEENKUlvE_clEvENKUlvE10_clEvEUlbbE_EEjbLi4ELi4EEEEEvT1_";
constexpr char kSum[] =
    "_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIlNS0_14func_wrapper_tIlZNS0_11sum_"
    "functorIlllEclERNS_14TensorIteratorEEUlllE_EEjlLi4ELi4EEEEEvT1_";
constexpr char kGreater[] =
    "_ZN2at6native29vectorized_elementwise_kernelILi2ENS0_50_GLOBAL__N__e50ef81d_17_CompareKernels_"
    "cu_8f1b29aa14CompareFunctorIlEESt5arrayIPcLm3EEEEviT0_T1_";

template <typename T>
T read(uint64_t at) {
  T value;
  emu_contents_read(&value, at, sizeof value);
  return value;
}

class ComputedTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_EQ(emu_device_allocate(0, 1 << 20, EMU_ALLOCATION, &at_), EMU_OK);
  }
  static void TearDownTestSuite() { emu_device_free(at_, EMU_ALLOCATION); }
  void SetUp() override { emu_contents_clear(at_, 1 << 20); }

  void fill(const char* kernel, int count, float value) {
    void* arguments[] = {&count, &value, &at_};
    emu_compute(kernel, 1, arguments);
  }
  // all() of a contiguous vector at at_, into the byte 512 further on.
  unsigned char all(uint32_t inputs) {
    unsigned char reduction[1040] = {};
    const uint32_t one = 1;
    const uint64_t to = at_ + 512;
    memcpy(reduction + 8, &inputs, 4);
    memcpy(reduction + 12, &one, 4);
    memcpy(reduction + 68, &one, 4);
    memcpy(reduction + 372, &one, 4);
    memcpy(reduction + 976, &at_, 8);
    memcpy(reduction + 984, &to, 8);
    void* arguments[] = {reduction};
    emu_compute(kAll, 1, arguments);
    return read<unsigned char>(to);
  }

  static uint64_t at_;
};
uint64_t ComputedTest::at_ = 0;

TEST_F(ComputedTest, FillsAreKept) {
  fill(kFill, 3, 2.5f);
  EXPECT_EQ(read<float>(at_ + 8), 2.5f);
  EXPECT_EQ(read<float>(at_ + 12), 0.0f);
}

TEST_F(ComputedTest, LargeFillsAreNotButTakeAwayWhatWasThere) {
  fill(kFill, 4, 2.5f);
  fill(kFill, 100000, 3.5f);
  EXPECT_EQ(read<float>(at_), 0.0f);
}

// The functor's type is not what is stored.
TEST_F(ComputedTest, FillsThatCastAreLeftAlone) {
  fill(kCastingFill, 3, 2.5f);
  EXPECT_EQ(read<float>(at_), 0.0f);
}

TEST_F(ComputedTest, CountersCount) {
  int count = 1;
  const int64_t start = 0;
  emu_contents_write(at_, &start, sizeof start);
  int64_t amount[] = {2, 1};
  uint64_t addresses[] = {at_, at_};
  void* arguments[] = {&count, amount, addresses};
  emu_compute(kAdd, 1, arguments);
  emu_compute(kAdd, 1, arguments);
  EXPECT_EQ(read<int64_t>(at_), 4);
}

TEST_F(ComputedTest, StepsOfManyParametersCount) {
  struct {
    uint64_t addresses[110];
    int64_t counts[110];
    unsigned char tensor_of[320];
    int chunk_of[320];
  } list = {};
  for (int i = 0; i < 3; ++i) {
    const float start = 0;
    emu_contents_write(at_ + 512 * i, &start, sizeof start);
    list.addresses[i] = at_ + 512 * i;
    list.counts[i] = i == 1 ? 1000 : 1;  // too many to be a counter
    list.tensor_of[i] = static_cast<unsigned char>(i);
  }
  char functor = 0, plus = 0;
  float one = 1;
  void* arguments[] = {&list, &functor, &plus, &one};
  emu_compute(kAddEach, 3, arguments);
  emu_compute(kAddEach, 3, arguments);
  EXPECT_EQ(read<float>(at_), 2);
  EXPECT_EQ(read<float>(at_ + 512), 0);
  EXPECT_EQ(read<float>(at_ + 1024), 2);
}

TEST_F(ComputedTest, SizesOfObjects) {
  const int64_t sizes[] = {12, 30};
  emu_contents_write(at_, sizes, sizeof sizes);
  // a tensor of two sizes is summed
  unsigned char reduction[1040] = {};
  const uint32_t one = 1, two = 2, eight = 8;
  const uint64_t to = at_ + 512;
  memcpy(reduction + 20, &two, 4);
  memcpy(reduction + 24, &one, 4);
  memcpy(reduction + 80, &one, 4);
  memcpy(reduction + 384, &eight, 4);
  memcpy(reduction + 992, &at_, 8);
  memcpy(reduction + 1000, &to, 8);
  void* summed[] = {reduction};
  emu_compute(kSum, 1, summed);
  EXPECT_EQ(read<int64_t>(to), 42);
  // two sizes are compared: greater
  int count = 1, operation = 1;
  uint64_t addresses[] = {to, at_ + 8, at_};
  void* compared[] = {&count, &operation, addresses};
  emu_compute(kGreater, 1, compared);
  EXPECT_EQ(read<unsigned char>(to), 1);
}

TEST_F(ComputedTest, AllOfWhatIsKnown) {
  const unsigned char values[] = {1, 1, 0};
  emu_contents_write(at_, values, sizeof values);
  EXPECT_EQ(all(2), 1);
  EXPECT_EQ(all(3), 0);
}

TEST_F(ComputedTest, OtherKernelsAndAddressesOfTheHostAreLeftAlone) {
  float host = 1, value = 2;
  int count = 1;
  void* pointer = &host;
  void* arguments[] = {&count, &value, &pointer};
  emu_compute(kFill, 1, arguments);
  EXPECT_EQ(host, 1);
  emu_compute("_Z6kernelPf", 1, arguments);
  emu_compute(nullptr, 1, arguments);
  emu_compute(kFill, 1, nullptr);
}

}  // namespace
}  // namespace forerun::test
