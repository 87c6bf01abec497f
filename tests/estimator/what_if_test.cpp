// --max-batch, --sweep and --what-if: each figure is what a whole simulation of that spec gives.
#include "estimator/pipeline/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "estimator/devices/device.h"
#include "estimator/pipeline/estimate.h"
#include "tests/support/golden.h"

namespace forerun {
namespace {

using Json = nlohmann::json;
using test::CommandResult;
using testing::HasSubstr;

const std::string kTool = FORERUN_BINARY_DIR "/bin/forerun-estimate";
const std::string kMlp = "examples/lesson_mlp.yaml";

CommandResult run(std::vector<std::string> arguments, const std::string& input = "") {
  arguments.insert(arguments.begin(), kTool);
  return test::run_command(arguments, input);
}

Spec spec_of(const std::string& rest, const std::string& model = "") {
  const std::string layers =
      model.empty() ? "[{linear: {in: 512, out: 2048}}, relu, {linear: {in: 2048, out: 10}}]"
                    : model;
  const auto spec = parse_spec("model: " + layers +
                                   "\ninput: {shape: [512]}\ntarget: {shape: []}\nbatch_size: "
                                   "256\noptimizer: adamw\n" +
                                   rest,
                               "s.yaml");
  EXPECT_TRUE(spec) << to_string(spec.error());
  return *spec;
}

devices::Device gpu(std::int64_t bytes) {
  devices::Device device = *devices::find("h100-sxm-80gb");
  device.total_memory_bytes = device.context_bytes + bytes;
  return device;
}

bool fits(Spec spec, std::int64_t batch, const devices::Device& device) {
  spec.batch_size = batch;
  return pipeline::estimate({spec}, device)->front().memory.fits;
}

TEST(MaxBatch, IsTheLastOneThatFits) {
  for (const std::int64_t mib : {200, 512, 3000, 20'000}) {
    const devices::Device device = gpu(mib << 20);
    for (const char* rest : {"", "precision: bf16-mixed\n", "gradient_accumulation_steps: 3\n"}) {
      const Spec spec = spec_of(rest);
      const auto found = pipeline::max_batch(spec, device);
      ASSERT_TRUE(found) << to_string(found.error());
      EXPECT_FALSE(found->limit);
      EXPECT_TRUE(fits(spec, found->batch_size, device)) << mib << rest;
      EXPECT_FALSE(fits(spec, found->batch_size + 1, device)) << mib << rest;
    }
  }
}

TEST(MaxBatch, DoesNotDependOnTheBatchOfTheSpec) {
  Spec spec = spec_of("");
  const auto first = pipeline::max_batch(spec, gpu(2ll << 30));
  for (const std::int64_t batch : {1, 1000, 1'000'000}) {
    spec.batch_size = batch;
    EXPECT_EQ(pipeline::max_batch(spec, gpu(2ll << 30))->batch_size, first->batch_size) << batch;
  }
}

TEST(MaxBatch, IsNoneWhereNotOneSampleFits) {
  const auto found = pipeline::max_batch(spec_of(""), gpu(80ll << 20));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->batch_size, 0);
  EXPECT_FALSE(found->at);
  const CommandResult result = run({kMlp, "--max-batch", "--memory", "560MiB"});
  EXPECT_EQ(result.exit_code, 1) << result.out << result.err;
  EXPECT_THAT(result.out, HasSubstr("no batch fits"));
}

TEST(MaxBatch, SaysWhenSomethingElseThanMemoryEndsTheSearch) {
  const Spec spec = *parse_spec(
      "model: [{embedding: {vocab: 10, dim: 8}}, flatten_tokens]\ninput: {shape: [16], dtype: "
      "int64}\ntarget: {shape: [16]}\nbatch_size: 4\noptimizer: sgd\n",
      "s.yaml");
  const auto found = pipeline::max_batch(spec, gpu(40ll << 30));
  ASSERT_TRUE(found) << to_string(found.error());
  ASSERT_TRUE(found->limit);
  EXPECT_TRUE(fits(spec, found->batch_size, gpu(40ll << 30)));
}

TEST(MaxBatch, OfABadSpecIsItsError) {
  const CommandResult result = run({"-", "--max-batch"}, "model: [lineer]\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
}

TEST(MaxBatch, AsJson) {
  const CommandResult result = run({kMlp, "--max-batch", "--format", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["context"]["gpu"], "h100-sxm-80gb");
  EXPECT_GT(json["max_batch"]["batch_size"], 1'000'000);
  EXPECT_GE(json["max_batch"]["headroom_bytes"], 0);
  EXPECT_TRUE(json["max_batch"]["fits"]);
}

TEST(Sweep, RowsAreTheEstimatesOfThoseSpecs) {
  const CommandResult result = run({kMlp, "--sweep", "batch_size=1..64", "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json rows = Json::parse(result.out)["sweep"]["rows"];
  ASSERT_EQ(rows.size(), 64u);
  Spec spec = *read_spec(FORERUN_SOURCE_DIR "/examples/lesson_mlp.yaml");
  for (const std::int64_t batch : {1, 7, 64}) {
    spec.batch_size = batch;
    const auto one = pipeline::estimate({spec}, *devices::find(spec.gpu));
    const Json& row = rows[static_cast<std::size_t>(batch - 1)];
    EXPECT_EQ(row["batch_size"], batch);
    EXPECT_EQ(row["peak_reserved_bytes"], one->front().memory.peak_reserved_bytes);
    EXPECT_EQ(row["peak_allocated_bytes"], one->front().memory.peak_allocated_bytes);
  }
}

TEST(Sweep, OverPrecisionsAsATable) {
  const CommandResult result = run({kMlp, "--sweep", "precision=fp32,bf16-mixed"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("precision        peak allocated"));
  EXPECT_THAT(result.out, HasSubstr("\n  bf16-mixed"));
}

TEST(Sweep, RefusesWhatItCannotDo) {
  for (const char* bad : {"batch_size", "batchsize=1..2", "batch_size=", "batch_size=0..4",
                          "batch_size=5..2", "batch_size=1..5000", "batch_size=1,x",
                          "batch_size=99999999999999999999", "precision=fp8", "=1"}) {
    const CommandResult result = run({kMlp, "--sweep", bad});
    EXPECT_EQ(result.exit_code, 2) << bad;
    EXPECT_EQ(result.out, "") << bad;
    EXPECT_THAT(result.err, HasSubstr("--sweep")) << bad;
  }
  EXPECT_EQ(run({kMlp, "--sweep", "batch_size=1", "--max-batch"}).exit_code, 2);
  EXPECT_EQ(run({kMlp, kMlp, "--max-batch"}).exit_code, 2);
}

TEST(WhatIf, RanksWhatEachWaySaves) {
  Spec spec = spec_of("gpu: a100-sxm-80gb\n");
  spec.batch_size = 65536;
  const auto device = devices::find("a100-sxm-80gb");
  const auto ways = pipeline::knobs(spec, *device);
  ASSERT_TRUE(ways) << to_string(ways.error());
  ASSERT_GE(ways->size(), 5u);
  for (std::size_t i = 1; i < ways->size(); ++i)
    EXPECT_GE((*ways)[i - 1].saves_reserved_bytes, (*ways)[i].saves_reserved_bytes);
  for (const pipeline::Knob& way : *ways) {
    if (way.setting != "precision: bf16-mixed") continue;
    Spec changed = spec;
    changed.precision = Precision::Bf16Mixed;
    const std::int64_t then =
        pipeline::estimate({changed}, *device)->front().memory.peak_reserved_bytes;
    const std::int64_t now =
        pipeline::estimate({spec}, *device)->front().memory.peak_reserved_bytes;
    EXPECT_EQ(way.saves_reserved_bytes, now - then);
    return;
  }
  ADD_FAILURE() << "bf16-mixed is not among them";
}

TEST(WhatIf, NamesOnlyWhatTheSpecDoesNotDoYet) {
  const Spec spec = spec_of("precision: bf16\ncheckpoint: {segments: 2}\n");
  const auto ways = pipeline::knobs(spec, gpu(10ll << 30));
  ASSERT_TRUE(ways);
  for (const pipeline::Knob& way : *ways) {
    EXPECT_THAT(way.setting, testing::Not(HasSubstr("checkpoint")));
    EXPECT_THAT(way.setting, testing::Not(HasSubstr("precision")));
  }
}

TEST(WhatIf, IsPrintedAndJson) {
  const CommandResult text = run({kMlp, "--what-if"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("saves reserved"));
  EXPECT_THAT(text.out, HasSubstr("fused optimizer (optimizer: {implementation: fused})"));
  const Json json = Json::parse(run({kMlp, "--what-if", "--format", "json"}).out);
  const std::int64_t now = json["what_if"]["now"]["peak_reserved_bytes"];
  for (const Json& way : json["what_if"]["knobs"]) {
    EXPECT_EQ(now - way["peak_reserved_bytes"].get<std::int64_t>(),
              way["saves_reserved_bytes"].get<std::int64_t>());
  }
}

TEST(Checkpoint, RefusesMoreSegmentsThanLayers) {
  const auto estimates =
      pipeline::estimate({spec_of("checkpoint: {segments: 4}\n")}, *devices::find("t4"));
  ASSERT_FALSE(estimates);
  EXPECT_THAT(to_string(estimates.error()), HasSubstr("4 segments of 3 layers"));
}

}  // namespace
}  // namespace forerun
