// Several processes that are ranks of one communicator, on the emulated NCCL.
#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/emulator/dry_run.h"

namespace forerun::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kPrograms = FORERUN_SOURCE_DIR "/tests/emulator/programs/";

CommandResult torchrun(const std::vector<std::string>& what) {
  const std::filesystem::path python = FORERUN_PYTHON;
  // --standalone: a port of its own, for tests run side by side.
  std::vector<std::string> command{(python.parent_path() / "torchrun").string(), "--standalone",
                                   "--nproc-per-node", "4", kPrograms + "ranks.py"};
  command.insert(command.end(), what.begin(), what.end());
  return dry_run({"--gpus", "4"}, command);
}

CommandResult spawned(const std::string& how) {
  return dry_run({"--gpus", "3"}, {FORERUN_PYTHON, kPrograms + "spawned.py", how});
}

// What follows `mark` in the lines that begin with it, in order.
std::string part(const std::string& text, const std::string& mark) {
  std::multiset<std::string> lines;
  std::istringstream input(text);
  for (std::string line; std::getline(input, line);) {
    if (line.starts_with(mark)) lines.insert(line.substr(mark.size()));
  }
  std::string result;
  for (const std::string& line : lines) result += line + "\n";
  return result;
}

std::set<std::string> shared_memory() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    names.insert(entry.path().filename().string());
  return names;
}

// One start of four processes for all of it: importing PyTorch takes most of the time.
TEST(Ranks, MoveReduceAndTrain) {
  const CommandResult result = torchrun(
      {"reductions", "movements", "groups", "late", "ddp", "zero", "fsdp", "tensor_parallel"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("unmodelled calls: none"));
  EXPECT_THAT(result.err, Not(HasSubstr("forerun emulator: NCCL")));

  // 1 to 4 and 2 to 8: sum, average, product, least, greatest; integers divide as such and wrap.
  std::string reductions;
  for (const char* rank : {"0", "1", "2", "3"}) {
    for (const char* type : {"bfloat16", "float16", "float32", "float64"}) {
      reductions += std::string(rank) + " " + type +
                    " [10.0, 20.0] [2.5, 5.0] [24.0, 384.0] [1.0, 2.0] [4.0, 8.0]\n";
    }
    for (const char* type : {"int32", "int64"})
      reductions += std::string(rank) + " " + type + " [10, 20] [2, 5] [24, 384] [1, 2] [4, 8]\n";
    reductions += std::string(rank) + " uint8 [10, 20] [2, 5] [24, 128] [1, 2] [4, 8]\n";
  }
  EXPECT_EQ(part(result.out, "reductions "), reductions);

  const std::string gathered = "[[0.0, 0.0], [1.0, -1.0], [2.0, -2.0], [3.0, -3.0]]";
  EXPECT_EQ(part(result.out, "movements "),
            "0 11.0 " + gathered + " 6.0 [0.0, 10.0, 20.0, 30.0] 6.0 3.0\n" +  //
                "1 11.0 " + gathered + " 46.0 [1.0, 11.0, 21.0, 31.0] - 0.0\n" + "2 11.0 " +
                gathered + " 86.0 [2.0, 12.0, 22.0, 32.0] - 1.0\n" + "3 11.0 " + gathered +
                " 126.0 [3.0, 13.0, 23.0, 33.0] - 2.0\n");
  EXPECT_EQ(part(result.out, "groups "), "0 2.0 1.0\n1 4.0 1.0\n2 2.0 5.0\n3 4.0 5.0\n");
  EXPECT_EQ(part(result.out, "late "), "0 10.0 40.0\n1 10.0 40.0\n2 10.0 40.0\n3 10.0 40.0\n");
  const auto trained = [](const std::string& what) {
    return "0 trained " + what + "\n1 trained " + what + "\n2 trained " + what + "\n3 trained " +
           what + "\n";
  };
  EXPECT_EQ(part(result.out, "ddp "), trained("True"));
  EXPECT_EQ(part(result.out, "zero "), trained("1"));    // a parameter of four for each
  EXPECT_EQ(part(result.out, "fsdp "), trained("268"));  // a quarter of 1072
  // A quarter of 16 x 32, 32 and 32 x 16, and 16 whole.
  EXPECT_EQ(part(result.out, "tensor_parallel "), trained("280"));
}

TEST(Ranks, WhoCallSomethingElseAreToldWhat) {
  const CommandResult result = torchrun({"different"});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_THAT(result.out, HasSubstr("different 0 raised"));
  EXPECT_THAT(result.out, Not(HasSubstr("went on")));
  EXPECT_THAT(result.err,
              HasSubstr("rank 0 of 4: collective 0: this rank calls ncclAllReduce (4 B, "
                        "type 7, operation 0, root 0), rank 1 calls ncclBroadcast (8 B"));
}

TEST(Ranks, WithoutALauncher) {
  CommandResult result = spawned("spawn");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(part(result.out, ""), "0 6.0\n1 6.0\n2 6.0\n");
  result = spawned("beside");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(part(result.out, ""), "0 3.0\n1 3.0\n");
}

// The others do not wait for a rank that was killed, and nothing of it is left.
TEST(Ranks, WhoAreKilledAreMissedWithinSeconds) {
  const std::set<std::string> before = shared_memory();
  const CommandResult result = spawned("killed");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("raised AcceleratorError True\n"));
  EXPECT_THAT(result.out, HasSubstr("then "));
  EXPECT_THAT(result.out, Not(HasSubstr("went on")));
  EXPECT_THAT(result.err, HasSubstr("has ended or left the communicator, and is waited for"));
  std::set<std::string> left = shared_memory();
  for (const std::string& name : before) left.erase(name);
  std::erase_if(left, [](const std::string& name) { return name.find("forerun") == name.npos; });
  EXPECT_TRUE(left.empty());
}

}  // namespace
}  // namespace forerun::test
