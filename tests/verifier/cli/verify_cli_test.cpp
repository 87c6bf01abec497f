// The tool on the CPU, its checks and its probe, by their command line. What it does with bad input
// is in tests/cli/verify.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/golden.h"

namespace forerun {
namespace {

using test::CommandResult;
using test::run_command;
using ::testing::HasSubstr;

const std::string kTool = FORERUN_BINARY_DIR "/bin/forerun-verify";
const char* const kSpec =
    "model: [{linear: {in: 784, out: 256}}, relu, {linear: {in: 256, out: 10}}]\n"
    "input: {shape: [784], dtype: float32}\ntarget: {shape: [], dtype: int64}\nloss: "
    "cross_entropy\n"
    "batch_size: 32\noptimizer: {name: adamw}\ngpu: h100-sxm-80gb\nframework: pytorch-2.11\n";

// A second or two each, but many run side by side on a machine that may be busy.
constexpr double kPatience = 900;

CommandResult verify(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), kTool);
  return run_command(arguments, {}, kPatience);
}

class VerifyCli : public ::testing::Test {
 protected:
  std::string spec(const std::string& more = "", const std::string& name = "mlp.yaml") {
    return folder_.write(name, kSpec + more);
  }
  test::TemporaryFolder folder_;
};

TEST_F(VerifyCli, TheCpuComparesParametersAndSaysThatPeaksAreNot) {
  const CommandResult result = verify({spec(), "--device", "cpu"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("203,530"));
  EXPECT_THAT(result.out, HasSubstr("cpu: no caching allocator; parameters compared, peaks not"));
  EXPECT_THAT(result.out, HasSubstr("verdict: equal to the byte (2 rows)"));
  EXPECT_THAT(result.out, ::testing::Not(HasSubstr("peak_allocated")));
}

TEST_F(VerifyCli, JsonHasNoStepsOnTheCpu) {
  const CommandResult result = verify({spec(), "--device", "cpu", "--format", "json"});
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["measurement"]["device"], "cpu");
  EXPECT_EQ(json["measurement"]["memory"]["parameters"]["count"], 203'530);
  EXPECT_TRUE(json["measurement"]["memory"]["steps"].empty());
  EXPECT_EQ(json["within"], true);
}

TEST_F(VerifyCli, EverythingASpecCanSayRunsOnTheCpu) {
  for (const char* more :
       {"precision: bf16-mixed\n", "precision: fp16-mixed\n", "precision: bf16\n",
        "clip_norm: 1.0\n", "gradient_accumulation_steps: 4\n", "setup: data-first\n"}) {
    const CommandResult result = verify({spec(more), "--device", "cpu"});
    EXPECT_EQ(result.exit_code, 0) << more << result.out << result.err;
  }
}

TEST_F(VerifyCli, TwoSpecsShareAProcessAndHaveAReportEach) {
  const CommandResult result = verify(
      {spec(), spec("precision: bf16-mixed\n", "two.yaml"), "--device", "cpu", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json.size(), 2u);
  EXPECT_THAT(json[1]["context"]["spec"].get<std::string>(), HasSubstr("two.yaml"));
}

TEST_F(VerifyCli, TwoSpecsForTwoGpusAreRefused) {
  std::string other = kSpec;
  other.replace(other.find("h100-sxm-80gb"), 13, "a100-sxm-80gb");
  const CommandResult result =
      verify({spec(), folder_.write("a100.yaml", other), "--device", "cpu"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("a100.yaml:7:"));
  EXPECT_THAT(result.err, HasSubstr("share a process"));
}

TEST_F(VerifyCli, AnUnknownGpuIsRefusedWithItsPlaceOrItsOption) {
  std::string text = kSpec;
  text.replace(text.find("h100-sxm-80gb"), 13, "h100-sxm-80gbb");
  CommandResult result = verify({folder_.write("gpu.yaml", text), "--device", "cpu"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("gpu.yaml:7:"));
  EXPECT_THAT(result.err, HasSubstr("h100-sxm-80gb"));
  result = verify({spec(), "--gpu", "h1000", "--device", "cpu"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("h1000"));
}

TEST_F(VerifyCli, WordsThatAreNotAmongTheKnownAreRefused) {
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--device", "gpu"},
                                                        {"--format", "yaml"},
                                                        {"--tolerance", "-1"},
                                                        {"--tolerance", "nan"},
                                                        {"--memory", "lots"}}) {
    const CommandResult result = verify({spec(), option, value});
    EXPECT_EQ(result.exit_code, 2) << option << " " << value << result.out;
    EXPECT_THAT(result.err, HasSubstr("help: ")) << result.err;
  }
}

TEST_F(VerifyCli, AFrameworkOfAnotherVersionOrALayerThatCannotRunIsAnError) {
  std::string text = kSpec;
  text.replace(text.find("pytorch-2.11"), 12, "pytorch-2.10");
  const CommandResult result = verify({folder_.write("old.yaml", text), "--device", "cpu"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("old.yaml:8:"));
}

TEST(VerifyChecks, OverfitGivesTheLessonsNumbers) {
  const CommandResult result = verify({"--check", "overfit"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "0.776305 -> 5.4e-05, accuracy 1.0\n");
}

TEST(VerifyChecks, GradientAccumulationAndFp16GiveTheLessonsNumbers) {
  EXPECT_THAT(verify({"--check", "gradient-accumulation"}).out,
              HasSubstr("1.0 divided by 4, 4.0 undivided"));
  EXPECT_EQ(verify({"--check", "fp16-underflow"}).out,
            "1e-08 in fp16 is 0.0; scaled by 65536: 0.00065517; unscaled in fp32: 9.9972e-09\n");
  EXPECT_THAT(verify({"--check", "nan-gradient"}).out,
              HasSubstr("gradient nan, with the input masked first: 0"));
}

TEST(VerifyChecks, TheListNamesEachAndEachPasses) {
  const auto list = nlohmann::json::parse(verify({"--check", "list", "--format", "json"}).out);
  ASSERT_GE(list.size(), 4u);
  for (const auto& entry : list) {
    const CommandResult result = verify({"--check", entry["check"], "--format", "json"});
    EXPECT_EQ(result.exit_code, 0) << entry;
    EXPECT_EQ(nlohmann::json::parse(result.out)["passed"], true) << entry;
  }
}

// Without a GPU; with one these states cannot be had, and tests/verifier/gpu looks at CUDA_READY.
TEST(VerifyProbe, TheCpuIsCpuOnlyAndHasNoPeaks) {
  const CommandResult result = verify({"probe", "--device", "cpu", "--batch", "16"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::size_t end = result.out.find('\n');
  for (const std::string& line : {result.out.substr(0, end), result.out.substr(end + 1)}) {
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json["state"], "CPU_ONLY");
    EXPECT_EQ(json["device"], "cpu");
    EXPECT_GT(json["milliseconds_per_step"].get<double>(), 0);
    EXPECT_NEAR(
        json["samples_per_second"].get<double>() * json["milliseconds_per_step"].get<double>(),
        16e3, 1e-6 * 16e3);
    EXPECT_TRUE(json["peak_allocated_MiB"].is_null());
    EXPECT_EQ(json["includes_data_loading"], false);
  }
}

TEST(VerifyProbe, CudaThatIsNotThereIsNotAvailable) {
  const CommandResult result = verify({"probe", "--device", "cuda"});
  if (result.exit_code == 0) GTEST_SKIP() << "there is a CUDA device here";
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(nlohmann::json::parse(result.out)["state"], "CUDA_NOT_AVAILABLE");
}

TEST(VerifyHelp, NamesEveryOptionAndExitStatus) {
  const CommandResult result = verify({"--help"});
  EXPECT_EQ(result.exit_code, 0);
  for (const char* option : {"--device", "--gpu", "--tolerance", "--check", "--format", "--output",
                             "0 within tolerance"}) {
    EXPECT_THAT(result.out, HasSubstr(option));
  }
}

}  // namespace
}  // namespace forerun
