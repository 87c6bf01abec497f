// Real LibTorch on the emulated device, by the command line.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/golden.h"

namespace forerun {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;
using test::CommandResult;

const std::string kTool = FORERUN_BINARY_DIR "/bin/forerun-verify";
const std::string kExamples = FORERUN_SOURCE_DIR "/examples/";

// A second or two each, but many run side by side on a machine that may be busy.
constexpr double kPatience = 900;

CommandResult verify(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), kTool);
  return test::run_command(arguments, {}, kPatience);
}

class Emulated : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(FORERUN_BINARY_DIR "/lib/forerun/emulator/libcudart.so.13")) {
      GTEST_SKIP() << "the emulator is not built here (no CUDA build of PyTorch)";
    }
  }
  test::TemporaryFolder folder_;
};

struct StepPeak {
  std::string spec, gpu;
  std::int64_t allocated, reserved;  // of the first step

  friend std::ostream& operator<<(std::ostream& out, const StepPeak& peak) {
    return out << peak.spec << " on " << peak.gpu;
  }
};

class StepPeakOf : public Emulated, public ::testing::WithParamInterface<StepPeak> {};

// The lesson measured 1881.6 and 1246.6 MiB on a real H100 in one process; the rest is Python on
// the emulated device.
INSTANTIATE_TEST_SUITE_P(
    Lesson, StepPeakOf,
    ::testing::Values(
        StepPeak{"step_peak_fp32.yaml", "h100-sxm-80gb", 1'972'996'096, 3'009'413'120},
        StepPeak{"step_peak_bf16.yaml", "h100-sxm-80gb", 1'306'100'224, 1'939'865'600},
        StepPeak{"step_peak.yaml", "h100-sxm-80gb", 1'307'148'800, 1'650'458'624},
        StepPeak{"step_peak_fp32.yaml", "a100-sxm-80gb", 1'922'926'592, 2'325'741'568},
        StepPeak{"step_peak_bf16.yaml", "a100-sxm-80gb", 1'251'837'952, 1'520'435'200},
        StepPeak{"step_peak.yaml", "a100-sxm-80gb", 1'251'837'952, 1'520'435'200}));

TEST_P(StepPeakOf, IsMeasuredAndPredictedToTheByte) {
  const CommandResult result = verify({kExamples + GetParam().spec, "--device", "emulated", "--gpu",
                                       GetParam().gpu, "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["measurement"]["device"], "emulated");
  const Json& first = json["measurement"]["memory"]["steps"][0];
  EXPECT_EQ(first["peak_allocated_bytes"], GetParam().allocated);
  EXPECT_EQ(first["peak_reserved_bytes"], GetParam().reserved);
  EXPECT_EQ(json["verdict"], "equal to the byte (11 rows)");
}

TEST_F(Emulated, TwoSpecsOnOneCommandLineShareTheProcess) {
  const CommandResult result =
      verify({kExamples + "step_peak_fp32.yaml", kExamples + "step_peak_bf16.yaml", "--device",
              "emulated", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.out << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json[1]["measurement"]["memory"]["steps"][0]["peak_allocated_bytes"], 1'307'148'800);
  EXPECT_EQ(json[1]["measurement"]["memory"]["steps"][0]["peak_reserved_bytes"], 1'650'458'624);
}

// Every fourth case from the given one on, so that the four parts run side by side.
class PythonTruth : public Emulated, public ::testing::WithParamInterface<int> {
 protected:
  static Json steps_of(const Json& memory) {
    Json steps = Json::array();
    for (const Json& step : memory["steps"]) {
      steps.push_back({{"peak_allocated", step["peak_allocated_bytes"]},
                       {"peak_reserved", step["peak_reserved_bytes"]},
                       {"end_allocated", step["end_allocated_bytes"]}});
    }
    return steps;
  }
};
INSTANTIATE_TEST_SUITE_P(Quarter, PythonTruth, ::testing::Range(0, 4));

// What real PyTorch took for the same specs in Python: same operators, order and lifetimes, or the
// bytes differ.
TEST_P(PythonTruth, IsWhatLibTorchTakes) {
  const Json truth = Json::parse(test::read_all(FORERUN_SOURCE_DIR "/tests/estimator/truth.json"));
  ASSERT_GT(truth["cases"].size(), 70u);
  for (std::size_t i = static_cast<std::size_t>(GetParam()); i < truth["cases"].size(); i += 4) {
    const Json& entry = truth["cases"][i];
    const std::string path = folder_.write("case.yaml", entry["spec"].dump());
    const CommandResult result = verify({path, "--device", "emulated", "--format", "json"});
    if (entry["spec"].contains("checkpoint") && !entry["spec"]["checkpoint"].is_null()) {
      // Known miss: recomputation needs hooks on saved tensors, which LibTorch gives to Python
      // alone.
      EXPECT_EQ(result.exit_code, 2) << entry["name"];
      EXPECT_THAT(result.err, HasSubstr("checkpoint cannot be run by the verifier yet"));
      continue;
    }
    ASSERT_LE(result.exit_code, 1) << entry["name"] << result.err;
    const Json memory = Json::parse(result.out)["measurement"]["memory"];
    EXPECT_EQ(memory["parameters"]["count"], entry["truth"]["parameters"]) << entry["name"];
    EXPECT_EQ(steps_of(memory), entry["truth"]["steps"]) << entry["name"];
  }
}

// The documents of a YAML file, each on its own.
std::vector<std::string> documents(const std::string& text) {
  std::vector<std::string> all;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 5) {
    end = text.find("\n---\n", begin);
    all.push_back(text.substr(begin, end == std::string::npos ? end : end - begin + 1));
  }
  return all;
}

// Predicted bytes are measured bytes for the samples of every layer there is.
TEST_F(Emulated, SamplesOfEveryLayerTakeThePredictedBytes) {
  int layers = 0;
  for (const auto& folder : std::filesystem::directory_iterator(FORERUN_SOURCE_DIR "/layers")) {
    const std::string samples = folder.path().string() + "/samples.yaml";
    if (!std::filesystem::exists(samples)) continue;
    ++layers;
    for (const std::string& text : documents(test::read_all(samples))) {
      const CommandResult result =
          verify({folder_.write("sample.yaml", text), "--device", "emulated"});
      EXPECT_EQ(result.exit_code, 0) << samples << "\n" << text << result.out << result.err;
    }
  }
  EXPECT_GE(layers, 9);
}

struct Corner {
  const char* what;
  const char* spec;    // all keys but input's dtype, gpu and framework
  const char* before;  // the spec named before.yaml, or ""

  friend std::ostream& operator<<(std::ostream& out, const Corner& c) { return out << c.what; }
};

class Corners : public Emulated, public ::testing::WithParamInterface<Corner> {};

// Found by comparing random specs: each was wrong by a block or a segment once.
INSTANTIATE_TEST_SUITE_P(
    Found, Corners,
    ::testing::Values(
        Corner{"one sample takes cublasLt's fused bias",
               "model: [{linear: {in: 64, out: 32}}]\ninput: {shape: [64]}\n"
               "target: {shape: [32], dtype: float32}\nloss: mse\nbatch_size: 1\n"
               "optimizer: {name: sgd}\n",
               ""},
        Corner{"one output never does",
               "model: [{linear: {in: 64, out: 1}}]\ninput: {shape: [64]}\n"
               "target: {shape: [1], dtype: float32}\nloss: bce_with_logits\nbatch_size: 32\n"
               "optimizer: {name: adam, implementation: for-loop}\n",
               ""},
        Corner{"nor does one input",
               "model: [{linear: {in: 1, out: 64}}, tanh, {linear: {in: 64, out: 1}}]\n"
               "input: {shape: [1]}\ntarget: {shape: [1], dtype: float32}\nloss: mse\n"
               "batch_size: 100\noptimizer: {name: sgd, momentum: 0.9, weight_decay: 0.1}\n"
               "clip_norm: 1.0\n",
               ""},
        Corner{"another batch goes with the model before",
               "model: [{linear: {in: 1024, out: 10}}]\ninput: {shape: [1024]}\n"
               "target: {shape: [10], dtype: float32}\nloss: mse\nbatch_size: 7\n"
               "optimizer: {name: adam}\nsetup: data-first\nafter: before.yaml\n",
               "model: [{linear: {in: 256, out: 64}}]\ninput: {shape: [256]}\n"
               "target: {shape: [64], dtype: float32}\nloss: mse\nbatch_size: 30000\n"
               "optimizer: {name: adam, implementation: fused}\n"},
        Corner{"the same batch in another dtype is another batch",
               "model: [{linear: {in: 256, out: 64}}]\ninput: {shape: [256]}\n"
               "target: {shape: [], dtype: int64}\nloss: cross_entropy\nbatch_size: 8192\n"
               "precision: bf16\noptimizer: {name: sgd}\nafter: before.yaml\n",
               "model: [{linear: {in: 256, out: 64}}]\ninput: {shape: [256]}\n"
               "target: {shape: [], dtype: int64}\nloss: cross_entropy\nbatch_size: 8192\n"
               "optimizer: {name: sgd}\n"}));

TEST_P(Corners, TakeThePredictedBytes) {
  const std::string common = "gpu: a100-sxm-80gb\nframework: pytorch-2.11\n";
  folder_.write("before.yaml", GetParam().before + common);
  const std::string path = folder_.write("spec.yaml", GetParam().spec + common);
  const CommandResult result = verify({path, "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST_F(Emulated, AutoFallsBackToItAndSaysSo) {
  const CommandResult result = verify({kExamples + "step_peak_fp32.yaml"});
  if (result.out.find("on cuda") != std::string::npos)
    GTEST_SKIP() << "there is a CUDA device here";
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(result.err, HasSubstr("no CUDA device here: running on an emulated h100-sxm-80gb"));
  EXPECT_THAT(result.out, HasSubstr("on emulated (NVIDIA H100 80GB HBM3)"));
}

TEST_F(Emulated, TheSameInputGivesTheSameBytes) {
  const std::vector<std::string> command{kExamples + "step_peak.yaml", "--device", "emulated",
                                         "--format", "json"};
  EXPECT_EQ(verify(command).out, verify(command).out);
}

TEST_F(Emulated, ASpecThatDoesNotFitIsOutOfMemoryInWords) {
  const CommandResult result =
      verify({kExamples + "step_peak_fp32.yaml", "--device", "emulated", "--memory", "1GiB"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("out of memory on the emulated device"));
}

TEST_F(Emulated, AnEmulatorThatIsNotThereIsAnErrorNotALoop) {
  const test::CommandResult result =
      test::run_command({"env", "FORERUN_EMULATOR=" + folder_.path(), kTool,
                         kExamples + "step_peak_fp32.yaml", "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("no emulator in"));
}

// A folder whose libcudart is none at all: the program starts again once, and then says what is
// wrong.
TEST_F(Emulated, AnEmulatorThatDoesNotComeUpIsTriedOnce) {
  folder_.write("libcudart.so.0", "not a library");
  const test::CommandResult result =
      test::run_command({"env", "FORERUN_EMULATOR=" + folder_.path(), kTool,
                         kExamples + "step_peak_fp32.yaml", "--device", "emulated"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("the emulated device did not come up"));
}

TEST_F(Emulated, ProbeIsReadyAndMarkedEmulated) {
  const CommandResult result = verify({"probe", "--device", "emulated", "--batch", "64"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::size_t end = result.out.find('\n');
  std::vector<std::string> precisions;
  for (const std::string& line : {result.out.substr(0, end), result.out.substr(end + 1)}) {
    const Json json = Json::parse(line);
    EXPECT_EQ(json["state"], "CUDA_READY");
    EXPECT_EQ(json["emulated"], true);
    EXPECT_THAT(json["note"].get<std::string>(), HasSubstr("times mean nothing"));
    EXPECT_GT(json["peak_allocated_MiB"].get<double>(), 0);
    EXPECT_GE(json["peak_reserved_MiB"].get<double>(), json["peak_allocated_MiB"].get<double>());
    precisions.push_back(json["precision"]);
  }
  EXPECT_THAT(precisions, ::testing::ElementsAre("fp32", "amp"));
}

TEST_F(Emulated, ProbeUsesFloat16BeforeAmpere) {
  const CommandResult result = verify({"probe", "--device", "emulated", "--gpu", "t4"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("\"amp_dtype\":\"float16\""));
}

TEST_F(Emulated, ProbeOutOfMemoryAdvisesASmallerBatch) {
  const CommandResult result =
      verify({"probe", "--device", "emulated", "--batch", "1000000", "--memory", "1GiB"});
  EXPECT_EQ(result.exit_code, 1);
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["state"], "CUDA_OOM");
  EXPECT_EQ(json["advice"], "lower --batch");
  EXPECT_TRUE(json["milliseconds_per_step"].is_null());
}

}  // namespace
}  // namespace forerun
