// Models of transformers 5.24 in real PyTorch 2.11.0+cu130 on the emulated device (truth.json, as
// scripts/check_hf_truth records it; two layers each), and what is refused, with its place.
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "estimator/devices/device.h"
#include "estimator/pipeline/estimate.h"
#include "tests/support/golden.h"

namespace forerun {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

Json load() {
  std::ifstream file(FORERUN_SOURCE_DIR "/tests/models/truth.json");
  return Json::parse(file);
}

// The spec of a configuration, which is written beside it.
Result<Spec> spec_of(const std::string& config, const std::string& rest,
                     const std::string& model_class = "AutoModelForCausalLM") {
  const test::TemporaryFolder folder;
  folder.write("config.json", config);
  return parse_spec(
      fmt::format("model: {{hf_config: config.json, class: {}}}\noptimizer: adamw\n{}", model_class,
                  rest),
      folder.path() + "/spec.yaml");
}

std::string problem(const Json& config, const std::string& rest,
                    const std::string& gpu = "a100-sxm-80gb",
                    const std::string& model_class = "AutoModelForCausalLM") {
  const auto spec = spec_of(config.dump(1), rest, model_class);
  if (!spec) return to_string(spec.error());
  const auto made = pipeline::estimate({*spec}, *devices::find(gpu));
  return made ? "(accepted)" : to_string(made.error());
}

const std::string kShort = "batch_size: 2\nsequence_length: 32\ngpu: a100-sxm-80gb\n";

Json small_llama() {
  return {{"model_type", "llama"},    {"vocab_size", 512},      {"hidden_size", 64},
          {"intermediate_size", 128}, {"num_hidden_layers", 1}, {"num_attention_heads", 4}};
}

// Images have none.
std::string length_of(const Json& one) {
  const int length = one.at("length");
  return length == 0 ? "" : fmt::format("sequence_length: {}\n", length);
}

TEST(Models, EveryFigureOfEveryStepToTheByte) {
  const Json cases = load();
  ASSERT_GE(cases.size(), 31u);
  for (const Json& one : cases) {
    const std::string name = one.at("name");
    const Json& truth = one.at("truth");
    const auto spec = spec_of(
        truth.at("config").dump(1),
        length_of(one) +
            fmt::format("batch_size: {}\nprecision: {}\ngpu: {}\n", one.at("batch_size").get<int>(),
                        one.at("precision").get<std::string>(), one.at("gpu").get<std::string>()),
        one.at("model_class"));
    ASSERT_TRUE(spec) << name << ": " << to_string(spec.error());
    const auto made = pipeline::estimate({*spec}, *devices::find(spec->gpu));
    ASSERT_TRUE(made) << name << ": " << to_string(made.error());
    const MemoryEstimate& memory = made->front().memory;
    EXPECT_EQ(memory.parameter_count, truth.at("parameters")) << name;
    for (std::size_t i = 0; i < memory.steps.size(); ++i) {
      const Json& step = truth.at("steps")[i];
      EXPECT_EQ(memory.steps[i].peak_allocated_bytes, step.at("peak_allocated")) << name << i;
      EXPECT_EQ(memory.steps[i].peak_reserved_bytes, step.at("peak_reserved")) << name << i;
      EXPECT_EQ(memory.steps[i].end_allocated_bytes, step.at("end_allocated")) << name << i;
    }
  }
}

TEST(Models, TakeFieldsFromTheConfiguration) {
  EXPECT_EQ(problem(small_llama(), kShort), "(accepted)");
  Json wide = small_llama();
  wide["hidden_size"] = 63;
  EXPECT_THAT(problem(wide, kShort), HasSubstr("hidden_size 63 is not a multiple of 4 heads"));
  EXPECT_THAT(problem(wide, kShort), HasSubstr("config.json:2:"));
  Json negative = small_llama();
  negative["num_hidden_layers"] = -1;
  EXPECT_THAT(problem(negative, kShort), HasSubstr("num_hidden_layers is -1"));
  Json endless = small_llama();
  endless["num_hidden_layers"] = 100'000'000;
  EXPECT_THAT(problem(endless, kShort), HasSubstr("num_hidden_layers is 100000000"));
  EXPECT_THAT(problem(endless, kShort), HasSubstr("at most 10000"));
  Json missing = small_llama();
  missing.erase("vocab_size");
  EXPECT_THAT(problem(missing, kShort), HasSubstr("the configuration has no 'vocab_size'"));
}

TEST(Models, RefuseWhatTheyDoNotModelAloud) {
  Json other = small_llama();
  other["model_type"] = "mamba";
  EXPECT_THAT(problem(other, kShort), HasSubstr("model_type 'mamba' is not modelled"));
  Json eager = small_llama();
  eager["_attn_implementation"] = "eager";
  EXPECT_THAT(problem(eager, kShort), HasSubstr("_attn_implementation: 'eager' is not modelled"));
  Json quantised = small_llama();
  quantised["quantization_config"] = {{"bits", 4}};
  EXPECT_THAT(problem(quantised, kShort), HasSubstr("quantised weights are not modelled"));
  Json window = small_llama();
  window["model_type"] = "mistral";
  window["sliding_window"] = 16;
  EXPECT_THAT(problem(window, kShort), HasSubstr("a sliding window of 16 under 32 tokens"));
}

// Every kernel that attention may take: estimator/sdpa_test.cpp has their figures.
TEST(Models, TakeAttentionOfAnyHeads) {
  const std::string half = kShort + "precision: bf16\n";
  const std::string mixed = kShort + "precision: fp16-mixed\n";
  Json grouped = small_llama();
  grouped["num_key_value_heads"] = 2;
  for (const std::string& spec : {kShort, half, mixed})
    EXPECT_EQ(problem(grouped, spec), "(accepted)");
  for (const int head : {34, 36, 320}) {
    Json odd = small_llama();
    odd["head_dim"] = head;
    EXPECT_EQ(problem(odd, half), "(accepted)");
    EXPECT_EQ(problem(odd, kShort), "(accepted)");
  }
  EXPECT_EQ(problem(small_llama(), mixed, "t4"), "(accepted)");
}

TEST(Models, T5RefusesWhatItDoesNotModel) {
  const auto refused = [](const Json& config, const std::string& spec) {
    return problem(config, spec, "a100-sxm-80gb", "AutoModelForSeq2SeqLM");
  };
  Json t5 = {{"model_type", "t5"}, {"num_layers", 1}, {"vocab_size", 256}, {"d_model", 64}};
  EXPECT_THAT(refused(t5, kShort), HasSubstr("no 'decoder_start_token_id'"));
  t5["decoder_start_token_id"] = 0;
  EXPECT_EQ(refused(t5, kShort), "(accepted)");
  EXPECT_THAT(refused(t5, kShort + "checkpoint: every_block\n"), HasSubstr("checkpoints of T5"));
  t5["feed_forward_proj"] = "gated-sine";
  EXPECT_THAT(refused(t5, kShort), HasSubstr("feed_forward_proj 'gated-sine' is not modelled"));
}

TEST(Models, EncodersRefuseWhatTheyDoNotModel) {
  const auto refused = [](const Json& config, const std::string& task) {
    return problem(config, kShort, "a100-sxm-80gb", "AutoModelFor" + task);
  };
  const Json bert = {{"model_type", "bert"}, {"num_hidden_layers", 1}};
  EXPECT_EQ(refused(bert, "MaskedLM"), "(accepted)");
  EXPECT_THAT(refused(bert, "CausalLM"), HasSubstr("class AutoModelForCausalLM is not modelled"));
  Json decoder = bert;
  decoder["is_decoder"] = true;
  EXPECT_THAT(refused(decoder, "MaskedLM"), HasSubstr("is_decoder"));
  Json untied = bert;
  untied["tie_word_embeddings"] = false;
  EXPECT_THAT(refused(untied, "MaskedLM"), HasSubstr("tie_word_embeddings"));
  EXPECT_EQ(refused(untied, "SequenceClassification"), "(accepted)");
  Json regression = bert;
  regression["id2label"] = {{"0", "LABEL_0"}};
  EXPECT_THAT(refused(regression, "SequenceClassification"), HasSubstr("'regression'"));
  Json waves = {{"model_type", "distilbert"}, {"sinusoidal_pos_embds", true}};
  EXPECT_THAT(refused(waves, "MaskedLM"), HasSubstr("sinusoidal_pos_embds"));
  const Json small = {{"model_type", "vit"}, {"image_size", 8}};
  EXPECT_THAT(refused(small, "ImageClassification"), HasSubstr("patch_size 16 is larger"));
}

TEST(Models, SpecsOfModelsSayWhatBelongsToThem) {
  EXPECT_THAT(problem(small_llama(), "batch_size: 2\n"), HasSubstr("no 'sequence_length'"));
  EXPECT_THAT(problem(small_llama(), kShort + "loss: mse\n"), HasSubstr("brings its own loss"));
  EXPECT_THAT(problem(small_llama(), kShort + "framework: libtorch-2.11\n"),
              HasSubstr("Python's alone"));
  const auto both = parse_spec("model: {hf_config: a, torchvision: b}\nbatch_size: 1\n", "s.yaml");
  ASSERT_FALSE(both);
  EXPECT_THAT(to_string(both.error()), HasSubstr("one of hf_config, torchvision"));
  const auto unknown = parse_spec(
      "model: {torchvision: resnet51}\nbatch_size: 1\noptimizer: adamw\ninput: {shape: [3, 8, 8]}\n"
      "target: {shape: []}\n",
      "s.yaml");
  ASSERT_TRUE(unknown) << to_string(unknown.error());
  const auto made = pipeline::estimate({*unknown}, *devices::find("a100-sxm-80gb"));
  ASSERT_FALSE(made);
  EXPECT_THAT(to_string(made.error()), HasSubstr("s.yaml:1:"));
}

TEST(Models, FieldsNobodyKnowsAreNoted) {
  Json odd = small_llama();
  odd["flux_capacitor"] = 3;
  const auto spec = spec_of(odd.dump(1), kShort);
  ASSERT_TRUE(spec);
  const auto made = pipeline::estimate({*spec}, *devices::find("a100-sxm-80gb"));
  ASSERT_TRUE(made);
  EXPECT_THAT(made->front().unmodelled, testing::Contains(HasSubstr("flux_capacitor")));
}

// Checkpointing keeps less and computes the same: smaller peaks, the same parameters.
TEST(Models, CheckpointingLowersThePeak) {
  Json deep = small_llama();
  deep["num_hidden_layers"] = 8;
  auto peak = [&](const std::string& rest) {
    const auto spec = spec_of(deep.dump(1), "batch_size: 64\nsequence_length: 256\n" + rest);
    return pipeline::estimate({*spec}, *devices::find("a100-sxm-80gb"))
        ->front()
        .memory.peak_allocated_bytes;
  };
  EXPECT_LT(2 * peak("checkpoint: every_block\n"), peak(""));
}

}  // namespace
}  // namespace forerun
