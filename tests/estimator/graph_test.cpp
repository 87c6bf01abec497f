#include "estimator/graph/graph.h"

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "estimator/devices/device.h"
#include "estimator/graph/layer_catalog.h"
#include "estimator/pipeline/estimate.h"
#include "estimator/pipeline/stages.h"
#include "tests/support/golden.h"

namespace forerun {
namespace {

using testing::HasSubstr;

std::string text_of(const std::string& layers, const std::string& rest = "") {
  return "model:\n" + layers +
         "input: {shape: [64]}\ntarget: {shape: []}\nbatch_size: 32\noptimizer: adamw\n" + rest;
}

std::string problem(const std::string& text) {
  const auto spec = parse_spec(text, "spec.yaml");
  if (!spec) return to_string(spec.error());
  const auto stages = pipeline::build_stages({}, *spec, *devices::find("h100-sxm-80gb"));
  return stages ? "(accepted)" : to_string(stages.error());
}

TEST(Graph, Prints) {
  const auto spec =
      parse_spec(text_of("  - flatten\n  - linear: {in: 64, out: 128}\n  - relu: {inplace: true}\n "
                         " - dropout: {p: 0.25}\n  - layer_norm: {dim: 128}\n"
                         "  - linear: {in: 128, out: 10, bias: false}\n"),
                 "spec.yaml");
  ASSERT_TRUE(spec) << to_string(spec.error());
  const auto graph = graph::build(*spec);
  ASSERT_TRUE(graph) << to_string(graph.error());
  test::expect_golden(FORERUN_SOURCE_DIR "/tests/estimator/golden/graph.txt", graph::print(*graph));
}

TEST(Graph, VerifyNoticesWhatIsUsedAfterItsDrop) {
  const auto spec = parse_spec(text_of("  - linear: {in: 64, out: 10}\n  - relu\n"), "spec.yaml");
  auto graph = *graph::build(*spec);
  ASSERT_TRUE(graph::verify(graph));
  graph::Graph broken = graph;
  broken.instructions.insert(broken.instructions.begin() + 1,
                             {nullptr, {broken.instructions[0].output}, {}, {}, -1, {}, "x"});
  EXPECT_FALSE(graph::verify(broken));
  broken = graph;
  broken.instructions[1].output = broken.instructions[0].output;
  EXPECT_FALSE(graph::verify(broken));
}

TEST(Shapes, ThatDoNotMeetNameBothLayers) {
  EXPECT_THAT(problem(text_of(
                  "  - linear: {in: 64, out: 2048}\n  - relu\n  - linear: {in: 1024, out: 10}\n")),
              HasSubstr("spec.yaml:4:5: error: layer 3 (linear) expects 1024 features, but layer 2 "
                        "(relu, spec.yaml:3:5) gives [32, 2048]"));
  EXPECT_THAT(problem(text_of("  - linear: {in: 65, out: 10}\n")),
              HasSubstr("layer 1 (linear) expects 65 features, but the input gives [32, 64]"));
  EXPECT_THAT(problem(text_of("  - layer_norm: {dim: 3}\n")),
              HasSubstr("layer 1 (layer_norm) expects 3 features"));
}

TEST(Layers, WhatIsNotModelledIsRefusedByName) {
  EXPECT_THAT(
      problem(text_of("  - lineer: {in: 64, out: 10}\n")),
      HasSubstr(
          "spec.yaml:2:5: error: layer 'lineer' is not modelled\nhelp: did you mean 'linear'?"));
  EXPECT_THAT(problem(text_of("  - lstm: {in: 64, out: 10}\n")),
              HasSubstr("layer 'lstm' is not modelled"));
  EXPECT_THAT(problem(text_of("  - linear: {in: 64, out: 10}\n",
                              "loss: {name: cross_entropy, label_smoothing: 0.1}\n")),
              HasSubstr("label_smoothing is not modelled"));
  EXPECT_THAT(problem(text_of("  - dropout: {p: 1.5}\n  - linear: {in: 64, out: 10}\n")),
              HasSubstr("dropout probability 1.5"));
  EXPECT_THAT(problem(text_of("  - relu\n")), HasSubstr("the model has no parameters to train"));
  EXPECT_THAT(problem(text_of("  - relu: [tanh]\n  - linear: {in: 64, out: 10}\n")),
              HasSubstr("relu holds no layers of its own"));
  EXPECT_THAT(problem(text_of("  - batch_norm1d: {channels: 64}\n  - linear: {in: 64, out: 10}\n")),
              HasSubstr("(accepted)"));
}

TEST(Sizes, BeyondReasonAreErrorsNotNumbers) {
  EXPECT_THAT(problem(text_of("  - linear: {in: 64, out: 4611686018427387904}\n")),
              HasSubstr("takes more bytes than 64 bits count"));
  EXPECT_THAT(problem(text_of("  - linear: {in: 64, out: 999999999999}\n")),
              HasSubstr("a tensor of at most 64 TiB"));
}

TEST(Sizes, AStepTooLongToSimulateIsSaidSo) {
  EXPECT_THAT(
      problem(text_of("  - linear: {in: 64, out: 64}\n  - repeat: {times: 50000, layers: [relu]}\n",
                      "gradient_accumulation_steps: 9\n")),
      HasSubstr("is too long to simulate"));
  EXPECT_THAT(problem(text_of("  - repeat: {times: 100001, layers: [relu]}\n")),
              HasSubstr("repeat.times is 100001"));
  EXPECT_THAT(problem(text_of("  - repeat: {times: 0, layers: [relu]}\n")),
              HasSubstr("repeat.times is 0"));
  EXPECT_THAT(problem(text_of("  - repeat: {times: 2}\n")), HasSubstr("repeat has no layers"));
}

// A repeat stands one by one in the model's own sequence: the same as its layers written out.
TEST(Repeat, IsItsLayersWrittenOut) {
  auto graph = [&](const std::string& layers) {
    const auto spec = parse_spec(text_of(layers), "spec.yaml");
    return graph::print(*graph::build(*spec));
  };
  const std::string once = "  - linear: {in: 64, out: 64}\n  - relu\n";
  EXPECT_EQ(graph("  - repeat: {times: 3, layers: [{linear: {in: 64, out: 64}}, relu]}\n"),
            graph(once + once + once));
}

TEST(Blocks, CheckTheirHeads) {
  auto block = [&](const std::string& arguments) {
    return problem(
        "model: [{token_embedding: {vocab: 100, dim: 64, positions: 32}}, {transformer_block: {" +
        arguments +
        "}}, flatten_tokens]\n"
        "input: {shape: [16], dtype: int64}\ntarget: {shape: [16]}\nbatch_size: 2\noptimizer: "
        "adamw\n");
  };
  EXPECT_EQ(block("dim: 64, heads: 4, mlp: 256"), "(accepted)");
  EXPECT_THAT(block("dim: 64, heads: 5, mlp: 256"),
              HasSubstr("dim 64 is not a multiple of 5 heads"));
  EXPECT_EQ(block("dim: 64, heads: 16, mlp: 256"), "(accepted)");
  EXPECT_EQ(block("dim: 64, heads: 16, mlp: 256, kind: explicit"), "(accepted)");
  EXPECT_THAT(block("dim: 32, heads: 4, mlp: 256"),
              HasSubstr("expects [batch, length, 32], but layer 1 (token_embedding"));
  EXPECT_THAT(block("dim: 64, heads: 4, mlp: 256, act: tanh"),
              HasSubstr("transformer_block.act 'tanh' is not modelled"));
}

TEST(Losses, CheckTheirTarget) {
  const std::string layers = "  - linear: {in: 64, out: 10}\n";
  auto swap = [&](const std::string& target, const std::string& rest) {
    return problem("model:\n" + layers + "input: {shape: [64]}\ntarget: " + target +
                   "\nbatch_size: 32\noptimizer: adamw\n" + rest);
  };
  EXPECT_THAT(swap("{shape: [10], dtype: float32}", "loss: mse\n"), HasSubstr("(accepted)"));
  EXPECT_THAT(swap("{shape: [9], dtype: float32}", "loss: mse\n"),
              HasSubstr("mse needs a target of the prediction's shape [32, 10], not [32, 9]"));
  EXPECT_THAT(swap("{shape: [10], dtype: int64}", "loss: mse\n"),
              HasSubstr("mse needs a float32 target, not int64"));
  EXPECT_THAT(swap("{shape: [10], dtype: float32}", "loss: bce_with_logits\nprecision: bf16\n"),
              HasSubstr("is not modelled"));
  EXPECT_THAT(swap("{shape: [2], dtype: int64}", ""),
              HasSubstr("one target a row of logits, but there are 64 targets for [32, 10]"));
  EXPECT_THAT(swap("{shape: [10], dtype: float32}", ""),
              HasSubstr("cross_entropy with a target of float32 is not modelled"));
}

// PyTorch stops in backward: "one of the variables needed for gradient computation has been
// modified by an inplace operation".
TEST(InPlace, OverWhatAnotherLayerKeepsIsAnError) {
  const std::string linear = "  - linear: {in: 64, out: 64}\n";
  const std::string inplace = "  - relu: {inplace: true}\n";
  EXPECT_THAT(
      problem(text_of(linear + "  - tanh\n" + inplace)),
      HasSubstr(
          "spec.yaml:4:5: error: relu 1 works in place on what tanh 1 keeps for its backward"));
  EXPECT_THAT(problem(text_of(linear + "  - sigmoid\n" + inplace)), HasSubstr("sigmoid 1 keeps"));
  EXPECT_THAT(problem(text_of(linear + inplace + inplace)),
              HasSubstr("relu 2 works in place on what relu 1 keeps"));
  EXPECT_EQ(problem(text_of(linear + "  - gelu\n" + inplace)),
            "(accepted)");  // gelu keeps its input
  EXPECT_EQ(problem(text_of(linear + "  - dropout\n" + inplace)), "(accepted)");
  EXPECT_EQ(problem(text_of(inplace + linear)), "(accepted)");
}

// The gradient of a layer before flatten has that layer's shape, not the flattened one.
TEST(Views, DoNotChangeTheSizeOfGradients) {
  const auto spec = parse_spec(
      "model: [{linear: {in: 8, out: 256}}, relu, {linear: {in: 256, out: 4}}, flatten]\ninput: "
      "{shape: [5, 8]}\ntarget: {shape: []}\nbatch_size: 100\noptimizer: sgd\n",
      "s");
  const auto stages = pipeline::build_stages({}, *spec, *devices::find("h100-sxm-80gb"));
  ASSERT_TRUE(stages) << to_string(stages.error());
  for (const ops::Allocation& made : stages->recording.allocations) {
    if (stages->recording.text(made) == "linear 2 input gradient") {
      EXPECT_EQ(made.bytes, 100 * 5 * 256 * 4);
    }
  }
}

TEST(Views, ABiasGradientHasTheChannelsOfItsConvolution) {
  const auto spec = parse_spec(
      "model: [{conv2d: {in: 3, out: 8, kernel: 3}}, flatten, {linear: {in: 288, out: 4}}]\ninput: "
      "{shape: [3, 8, 8]}\ntarget: {shape: []}\nbatch_size: 100\noptimizer: sgd\n",
      "s");
  const auto stages = pipeline::build_stages({}, *spec, *devices::find("h100-sxm-80gb"));
  ASSERT_TRUE(stages) << to_string(stages.error());
  int seen = 0;
  for (const ops::Allocation& made : stages->recording.allocations) {
    if (stages->recording.text(made) != "conv2d 1 bias gradient") continue;
    EXPECT_EQ(made.bytes, 8 * 4);
    ++seen;
  }
  EXPECT_EQ(seen, 3);
}

std::int64_t sum(const std::vector<Part>& parts) {
  std::int64_t bytes = 0;
  for (const Part& part : parts) bytes += part.bytes;
  return bytes;
}

// Every layer's samples: the estimate exists, its parts add up to its totals, and the largest come
// first.
TEST(Samples, PartsAddUp) {
  ASSERT_GE(layers::catalog().size(), 10u);
  for (const auto& layer : layers::catalog()) {
    EXPECT_FALSE(layer.page.empty()) << layer.id;
    std::istringstream documents(test::read_all(std::string(FORERUN_SOURCE_DIR "/layers/") +
                                                std::string(layer.id) + "/samples.yaml"));
    std::string text;
    int samples = 0;
    auto check = [&] {
      const auto spec = parse_spec(text, std::string(layer.id));
      ASSERT_TRUE(spec) << to_string(spec.error());
      const auto estimates = pipeline::estimate({*spec}, *devices::find(spec->gpu));
      ASSERT_TRUE(estimates) << to_string(estimates.error());
      const MemoryEstimate& memory = estimates->front().memory;
      EXPECT_EQ(sum(memory.activations), memory.activations_bytes);
      EXPECT_EQ(sum(memory.workspaces), memory.workspaces_bytes);
      ASSERT_EQ(memory.peaks.size(), memory.steps.size());
      for (std::size_t i = 0; i < memory.steps.size(); ++i) {
        EXPECT_EQ(sum(memory.peaks[i].alive), memory.steps[i].peak_allocated_bytes)
            << layer.id << " step " << i + 1;
        EXPECT_TRUE(std::is_sorted(memory.peaks[i].alive.begin(), memory.peaks[i].alive.end(),
                                   [](const Part& a, const Part& b) { return a.bytes > b.bytes; }));
        EXPECT_LE(memory.steps[i].peak_allocated_bytes, memory.steps[i].peak_reserved_bytes);
      }
      ++samples;
    };
    for (std::string line; std::getline(documents, line);) {
      if (line == "---") {
        check();
        text.clear();
      } else {
        text += line + "\n";
      }
    }
    check();
    EXPECT_GE(samples, 1);
  }
}

}  // namespace
}  // namespace forerun
