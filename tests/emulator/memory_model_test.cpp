// What PyTorch's allocator settings make of the emulated device's memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/emulator/dry_run.h"

namespace forerun::test {
namespace {

using ::testing::HasSubstr;

// A variable of the environment while it lives.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Setting() { unsetenv(name_); }

 private:
  const char* name_;
};

CommandResult memory(const std::vector<std::string>& options = {"--gpus", "2", "--memory",
                                                                "20GiB"}) {
  return dry_run(options, {FORERUN_PYTHON, "-W", "ignore",
                           FORERUN_SOURCE_DIR "/tests/emulator/programs/memory.py"});
}

// Whatever hands out the tensors, these stay.
const std::string kTheRest =
    "host (True, (0, True), (0, False))\n"
    "managed (0, 0, 0)\n"
    "pools (0, 2097152, 0)\n"
    "peers (2, True, [1.0, 2.0], 512)\n";

TEST(MemoryModel, CachingAllocator) {
  const CommandResult result = memory();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  // 5000 blocks of 512 B in two segments of 2 MiB; one of 50 MiB in its own.
  EXPECT_EQ(result.out,
            "many_small (4194304, 4194304, 0)\none_large (52428800, 52428800, 0)\nfragments 5\n" +
                kTheRest + "fraction True\n");
}

// Every tensor is then one request of the driver's: small ones share its pages.
TEST(MemoryModel, WithoutCaching) {
  const Setting setting("PYTORCH_NO_CUDA_MEMORY_CACHING", "1");
  const CommandResult result = memory();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("many_small (4194304, 0, 0)\none_large (52428800, 0, 0)\n"));
}

// Segments grow by 20 MiB, those of small blocks by 2 MiB.
TEST(MemoryModel, ExpandableSegments) {
  const Setting setting("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True");
  const CommandResult result = memory();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(
      result.out,
      HasSubstr("many_small (4194304, 4194304, 0)\none_large (62914560, 62914560, 0)\nfragments "
                "5\nhost (True"));
}

TEST(MemoryModel, StreamOrderedAllocator) {
  const Setting setting("PYTORCH_CUDA_ALLOC_CONF", "backend:cudaMallocAsync");
  const CommandResult result = memory();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("many_small (4194304, 4194304, 0)\none_large (52428800, "
                                    "52428800, 0)\nfragments 5\nhost (True"));
}

// The texts of its error, of each kind of allocator, and of memory no other process may have.
TEST(MemoryModel, SaysWhatIsNotThere) {
  const std::string code =
      "import torch\n"
      "x = torch.empty(5 << 30, dtype=torch.uint8, device='cuda'); y = torch.empty(3 << 20, "
      "dtype=torch.uint8, device='cuda')\n"
      "try: torch.empty(200 << 30, dtype=torch.uint8, device='cuda')\n"
      "except torch.OutOfMemoryError as problem: print(str(problem)[20:])\n"
      "try: y.untyped_storage()._share_cuda_()\n"
      "except Exception as problem: print(str(problem).splitlines()[0])\n";
  const CommandResult result = dry_run({"--gpu", "a10g"}, {FORERUN_PYTHON, "-c", code});
  EXPECT_THAT(
      result.out,
      HasSubstr("Tried to allocate 200.00 GiB. GPU 0 has a total capacity of 22.06 GiB of which "
                "16.65 GiB is free. Including non-PyTorch memory, this process has 5.41 GiB "
                "memory in use. Of the allocated memory 5.00 GiB is allocated by PyTorch, and "
                "17.00 MiB is reserved by PyTorch but unallocated."));
  EXPECT_THAT(result.out, HasSubstr("operation not supported"));
  EXPECT_THAT(result.err, HasSubstr("unmodelled: cudaIpcGetMemHandle"));
}

}  // namespace
}  // namespace forerun::test
