// Whole training programs on the emulated device. Those that need more than PyTorch are run by
// scripts/check_programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/dry_run.h"

namespace forerun::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kPrograms = FORERUN_SOURCE_DIR "/tests/emulator/programs/";

// Runs a program that must succeed with nothing unmodelled, and returns what it printed.
std::string printed(const std::vector<std::string>& options,
                    const std::vector<std::string>& command) {
  const CommandResult result = dry_run(options, command);
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("unmodelled: c")));
  return result.out;
}

std::string python(const std::vector<std::string>& command,
                   const std::vector<std::string>& options = {}) {
  std::vector<std::string> argv{FORERUN_PYTHON, kPrograms + command[0]};
  argv.insert(argv.end(), command.begin() + 1, command.end());
  return printed(options, argv);
}

TEST(EmulatedPrograms, LibTorchTrainer) {
  EXPECT_THAT(printed({}, {FORERUN_BINARY_DIR "/tests/emulated_libtorch_trainer"}),
              ContainsRegex("16 steps, last pixel 255, correct [0-9]+, .* cuda:0"));
}

TEST(EmulatedPrograms, RecurrentLanguageModel) {
  EXPECT_THAT(python({"lstm.py"}), HasSubstr("lengths [7, 5, 2]"));
}

TEST(EmulatedPrograms, LossScaling) {
  EXPECT_THAT(python({"scaler.py"}), ContainsRegex("steps \\{3\\}[^\n]*\nsteps \\{3\\}"));
}

// Peaks above the parameters, in bytes. Fused steps need no temporaries, foreach ones need them for
// all parameters at once.
TEST(EmulatedPrograms, Optimizers) {
  EXPECT_EQ(python({"optimizers.py"}),
            "SGD 72401920 4244480 4244480\n"
            "Adam 6358016 8421376 6841344\n"
            "AdamW 6358016 8421376 6841344\n"
            "Adagrad 6316032 2368512\n"
            "RMSprop 6316032 4473856\n"
            "NAdam 8421376 6841344\n"
            "RAdam 8421376 6840320\n"
            "Adadelta 10526720 6841344\n"
            "Adamax 8421376 6578176\n"
            "Rprop 8749568 7102464\n"
            "ASGD 6340608 4269056\n");
}

TEST(EmulatedPrograms, Graphs) {
  EXPECT_THAT(python({"graphs.py"}),
              ContainsRegex("replayed, .*\ngraphed callables, gradients True\nrefused: "));
}

TEST(EmulatedPrograms, WorkersAndPinnedMemory) {
  EXPECT_EQ(python({"loader.py"}), "last rows [15, 31, 47, 63, 15, 31, 47, 63], pinned True\n");
}

TEST(EmulatedPrograms, OneRankOfAShardedModel) {
  EXPECT_EQ(python({"fsdp.py", "64"}, {"--gpu", "a100-sxm-80gb"}),
            "rank 0 of 64: peak 1469.2 MiB\n");
}

TEST(EmulatedPrograms, RanksInProcessesOfTheirOwn) {
  EXPECT_THAT(
      printed({"--gpus", "4"}, {FORERUN_PYTHON, "-m", "torch.distributed.run", "--standalone",
                                "--nproc-per-node", "4", kPrograms + "ddp.py"}),
      HasSubstr("world 4, parameters agree True, sum 10.0"));
}

// The quick ones of the program; scripts/check_programs runs all.
TEST(EmulatedPrograms, Habits) {
  EXPECT_EQ(python({"habits.py",
                    "timing_with_events",
                    "reports_of_memory",
                    "what_the_device_is",
                    "share_of_the_memory",
                    "batch_size_finder",
                    "random_state",
                    "checkpoints",
                    "streams",
                    "memory_history",
                    "attention",
                    "transformer_evaluation",
                    "data_dependent_control_flow",
                    "losses",
                    "recurrent",
                    "on_the_meta_device_first",
                    "averaging_and_clipping",
                    "checks_of_gradients",
                    "warnings_about_waits",
                    "several_devices"},
                   {"--gpus", "2"}),
            "19 of 19 ran\n");
}

}  // namespace
}  // namespace forerun::test
