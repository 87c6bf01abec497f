// The numbers the two lessons print, as commands a user can run.
#include <cmath>

#include <gtest/gtest.h>

#include "core/report_writers.h"
#include "estimator/cost/roofline.h"
#include "estimator/devices/device.h"
#include "estimator/graph/graph.h"
#include "estimator/pipeline/estimate.h"

namespace forerun {
namespace {

Spec example(const std::string& name) {
  const auto spec = read_spec(std::string(FORERUN_SOURCE_DIR "/examples/") + name);
  EXPECT_TRUE(spec) << to_string(spec.error());
  return *spec;
}

StepMemory first_step(const std::vector<Spec>& specs, const std::string& gpu) {
  const auto device = devices::find(gpu);
  EXPECT_TRUE(device);
  const auto estimates = pipeline::estimate(specs, *device);
  EXPECT_TRUE(estimates) << to_string(estimates.error());
  return estimates->back().memory.steps[0];
}

struct Row {
  std::vector<std::string> specs;
  std::string gpu;
  std::int64_t allocated, reserved;
};

class StepPeak : public testing::TestWithParam<Row> {};

TEST_P(StepPeak, ToTheByte) {
  std::vector<Spec> specs;
  for (const std::string& name : GetParam().specs) specs.push_back(example(name));
  const StepMemory step = first_step(specs, GetParam().gpu);
  EXPECT_EQ(step.peak_allocated_bytes, GetParam().allocated);
  EXPECT_EQ(step.peak_reserved_bytes, GetParam().reserved);
}

const std::string kFp32 = "step_peak_fp32.yaml";
const std::string kBf16 = "step_peak_bf16.yaml";
INSTANTIATE_TEST_SUITE_P(
    Lesson, StepPeak,
    testing::Values(Row{{kFp32}, "h100-sxm-80gb", 1'972'996'096, 3'009'413'120},
                    Row{{kBf16}, "h100-sxm-80gb", 1'306'100'224, 1'939'865'600},
                    // `after:` and two specs on one command line are the same process.
                    Row{{"step_peak.yaml"}, "h100-sxm-80gb", 1'307'148'800, 1'650'458'624},
                    Row{{kFp32, kBf16}, "h100-sxm-80gb", 1'307'148'800, 1'650'458'624},
                    Row{{kFp32}, "a100-sxm-80gb", 1'922'926'592, 2'325'741'568},
                    Row{{kBf16}, "a100-sxm-80gb", 1'251'837'952, 1'520'435'200},
                    Row{{"step_peak.yaml"}, "a100-sxm-80gb", 1'251'837'952, 1'520'435'200}));

TEST(Lesson, MixedPrecisionSavesAThirdOfStepPeak) {
  const double fp32 =
      static_cast<double>(first_step({example(kFp32)}, "h100-sxm-80gb").peak_allocated_bytes);
  const double bf16 = static_cast<double>(
      first_step({example("step_peak.yaml")}, "h100-sxm-80gb").peak_allocated_bytes);
  EXPECT_NEAR(fp32 / 1048576, 1881.6, 0.05);
  EXPECT_NEAR(bf16 / 1048576, 1246.6, 0.05);
  EXPECT_NEAR(100 * (1 - bf16 / fp32), 33.7, 0.05);
}

// The bf16 peak is not at a ReLU: the bias gradient of layer 2 needs 132 MiB of scratch.
TEST(Lesson, ThePeakOfStepPeakIsTheBiasGradientOfLayer2) {
  const auto estimates =
      pipeline::estimate({example("step_peak.yaml")}, *devices::find("h100-sxm-80gb"));
  const Peak& peak = estimates->front().memory.peaks[0];
  EXPECT_EQ(peak.op, "backward of linear 2: bias gradient sum([65536, 1024])");
  EXPECT_EQ(peak.phase, "backward");
}

graph::Graph graph_of(const std::string& layers, std::int64_t inputs) {
  const auto spec = parse_spec("model: " + layers + "\ninput: {shape: [" + std::to_string(inputs) +
                                   "]}\ntarget: {shape: []}\nbatch_size: 4\noptimizer: adam\n",
                               "s");
  EXPECT_TRUE(spec);
  const auto graph = graph::build(*spec);
  EXPECT_TRUE(graph) << to_string(graph.error());
  return *graph;
}

TEST(Lesson, ParameterArithmetic) {
  const graph::Graph xor_net =
      graph_of("[{linear: {in: 2, out: 8}}, relu, {linear: {in: 8, out: 2}}]", 2);
  EXPECT_EQ(xor_net.parameter_count(), 42);
  EXPECT_EQ(xor_net.parameters_bytes(), 168);
  EXPECT_EQ(graph_of("[{linear: {in: 784, out: 256}}, relu, {linear: {in: 256, out: 10}}]", 784)
                .parameter_count(),
            203'530);
  EXPECT_EQ(graph_of("[{linear: {in: 10, out: 5}}]", 10).parameter_count(), 55);
}

// Parameters, gradients and Adam's two moments: 16 bytes each parameter.
TEST(Lesson, AdamNeedsSixteenBytesAParameter) {
  const auto spec = parse_spec(
      "model: [{linear: {in: 2, out: 8}}, relu, {linear: {in: 8, out: 2}}]\ninput: {shape: "
      "[2]}\ntarget: {shape: []}\nbatch_size: 4\noptimizer: adam\n",
      "s");
  const auto estimates = pipeline::estimate({*spec}, *devices::find("h100-sxm-80gb"));
  const MemoryEstimate& memory = estimates->front().memory;
  EXPECT_EQ(memory.parameters_bytes + memory.gradients_bytes + memory.optimizer_state_bytes, 672);
  const auto printed =
      pipeline::estimate({example("lesson_xor.yaml")}, *devices::find("h100-sxm-80gb"));
  EXPECT_NE(to_text(*printed).find("672 B with parameters and gradients"), std::string::npos);
}

TEST(Lesson, LengthOfARun) {
  EXPECT_EQ(cost::batches_per_epoch(50'000, 128), 391);
  EXPECT_NEAR(static_cast<double>(cost::optimizer_steps(391, 20, 1)) * 0.12, 938, 0.5);
  EXPECT_EQ(cost::batches_per_epoch(49'920, 128), 390);
  EXPECT_EQ(cost::optimizer_steps(390, 10, 4), 975);
}

TEST(Time, IsAnIntervalAroundItsExpectation) {
  for (const std::string name : {"step_peak_fp32.yaml", "step_peak_bf16.yaml"}) {
    const auto estimates = pipeline::estimate({example(name)}, *devices::find("h100-sxm-80gb"));
    const TimeEstimate& time = estimates->front().time;
    for (const TimeInterval& part : {time.forward, time.backward, time.optimizer, time.step}) {
      EXPECT_GT(part.low_s, 0);
      EXPECT_LT(part.low_s, part.expected_s);
      EXPECT_LT(part.expected_s, part.high_s);
    }
    EXPECT_GT(time.mfu, 0);
    EXPECT_LT(time.mfu, 1);
    EXPECT_EQ(time.confidence.rfind("rough", 0), 0u);
    // 3 matrix products a layer but the first, which has no input gradient: 2 m n k each.
    EXPECT_DOUBLE_EQ(time.flops, 2.0 * 65536 * (2 * 1024 * 2048 + 3 * 2048 * 1024 + 3 * 1024 * 10));
  }
}

MemoryEstimate memory_of(const Spec& spec) {
  const auto estimates = pipeline::estimate({spec}, *devices::find(spec.gpu));
  EXPECT_TRUE(estimates) << to_string(estimates.error());
  return estimates->front().memory;
}

TEST(Lesson, XorTakes42ParametersAnd672BytesOfTrainedState) {
  const MemoryEstimate memory = memory_of(example("lesson_xor.yaml"));
  EXPECT_EQ(memory.parameter_count, 42);
  EXPECT_EQ(memory.parameters_bytes, 168);
  EXPECT_EQ(memory.parameters_bytes + memory.gradients_bytes + memory.optimizer_state_bytes, 672);
  const auto printed =
      pipeline::estimate({example("lesson_xor.yaml")}, *devices::find("h100-sxm-80gb"));
  EXPECT_NE(to_text(*printed).find("672 B with parameters and gradients"), std::string::npos);
}

TEST(Lesson, TheMlpHas203530Parameters) {
  EXPECT_EQ(memory_of(example("lesson_mlp.yaml")).parameter_count, 203'530);
}

TEST(Lesson, AnEmbeddingOf100000RowsTakes120Megabytes) {
  const MemoryEstimate memory = memory_of(example("lesson_embedding.yaml"));
  EXPECT_EQ(memory.parameters_bytes, 120'000'000);
  EXPECT_EQ(memory.gradients_bytes, 120'000'000);
}

TEST(Lesson, FiftyLayersKeep12800000000BytesOfActivations) {
  const MemoryEstimate memory = memory_of(example("lesson_activations.yaml"));
  std::int64_t relus = 0;
  int layers = 0;
  for (const Part& part : memory.activations) {
    if (!part.what.starts_with("relu")) continue;
    relus += part.bytes;
    ++layers;
  }
  EXPECT_EQ(layers, 50);
  EXPECT_EQ(relus, 12'800'000'000);
  EXPECT_EQ(memory.activations_bytes, 12'800'000'004);  // and the loss
}

// The bytes of the largest tensor alive at the peak.
std::int64_t largest_at_peak(const Spec& spec) {
  return memory_of(spec).peaks[1].alive.front().bytes;
}

TEST(Lesson, AttentionScoresGrowWithTheSquareOfTheLength) {
  Spec spec = example("lesson_attention.yaml");
  EXPECT_EQ(largest_at_peak(spec), 512ll << 20);
  spec.input.shape[0] = spec.target.shape[0] = 512;
  EXPECT_EQ(largest_at_peak(spec), 128ll << 20);
}

TEST(Lesson, AFusedKernelMakesNoScores) {
  const auto text = [](const std::string& kind) {
    return "model: [{transformer_block: {dim: 512, heads: 8, mlp: 2048, kind: " + kind +
           "}}, {linear: {in: 512, out: 10}}, flatten_tokens]\ninput: {shape: [1024, "
           "512]}\ntarget: "
           "{shape: [1024]}\nbatch_size: 16\noptimizer: adamw\n";
  };
  const MemoryEstimate fused = memory_of(*parse_spec(text("sdpa"), "s"));
  for (const Peak& peak : fused.peaks) EXPECT_LT(peak.alive.front().bytes, 512ll << 20);
  EXPECT_EQ(largest_at_peak(*parse_spec(text("explicit"), "s")), 512ll << 20);
}

TEST(Lesson, TenSegmentsKeepTenBoundariesAndOneSegment) {
  Spec spec = example("lesson_checkpoint.yaml");
  constexpr std::int64_t kLayer = 4096 * 1024 * 4;
  // The batch, the first of the ten boundaries, is data and not an activation.
  EXPECT_EQ(memory_of(spec).activations_bytes, (9 + 10) * kLayer + 4);
  const auto flops = [](const Spec& of) {
    return pipeline::estimate({of}, *devices::find(of.gpu))->front().time.flops;
  };
  const double checkpointed = flops(spec);
  spec.checkpoint.reset();
  EXPECT_EQ(memory_of(spec).activations_bytes, 100 * kLayer + 4);
  // One extra forward of nine of ten segments, where a step is three forwards (less the first
  // layer's input gradient).
  EXPECT_NEAR((checkpointed - flops(spec)) / (2.0 * 4096 * 1024 * 1024), 81, 1e-6);
}

}  // namespace
}  // namespace forerun
