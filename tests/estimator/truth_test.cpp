// Real PyTorch 2.11.0+cu130, run on an emulated CUDA device (kernels do nothing, memory is
// accounted), three steps a case, one process each: what the estimate must give to the byte.
// truth.json says where its cases come from.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "estimator/devices/device.h"
#include "estimator/pipeline/estimate.h"

namespace forerun {
namespace {

using Json = nlohmann::json;

Json load() {
  std::ifstream file(FORERUN_SOURCE_DIR "/tests/estimator/truth.json");
  return Json::parse(file);
}

TEST(Truth, EveryFigureOfEveryStepToTheByte) {
  const Json truth = load();
  ASSERT_GE(truth.at("cases").size(), 120u);
  for (const Json& one : truth.at("cases")) {
    const std::string name = one.at("name");
    const auto spec = parse_spec(one.at("spec").dump(), name);
    ASSERT_TRUE(spec) << to_string(spec.error());
    const auto device = devices::find(spec->gpu);
    ASSERT_TRUE(device) << to_string(device.error());
    const auto estimates = pipeline::estimate({*spec}, *device);
    ASSERT_TRUE(estimates) << to_string(estimates.error());
    const MemoryEstimate& memory = estimates->front().memory;
    const Json& steps = one.at("truth").at("steps");
    ASSERT_EQ(memory.steps.size(), steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(memory.steps[i].peak_allocated_bytes, steps[i].at("peak_allocated"))
          << name << " step " << i + 1;
      EXPECT_EQ(memory.steps[i].peak_reserved_bytes, steps[i].at("peak_reserved"))
          << name << " step " << i + 1;
      EXPECT_EQ(memory.steps[i].end_allocated_bytes, steps[i].at("end_allocated"))
          << name << " step " << i + 1;
    }
    EXPECT_EQ(memory.parameter_count, one.at("truth").at("parameters")) << name;
  }
}

// The set says something only if it is wide: every GPU, precision, loss and optimizer
// implementation is in it.
TEST(Truth, CoversWhatIsModelled) {
  const std::string text = load().dump();
  for (const char* word : {"a100-sxm-80gb",
                           "h100-sxm-80gb",
                           "rtx-4090",
                           "t4",
                           "\"fp32\"",
                           "\"bf16\"",
                           "bf16-mixed",
                           "fp16-mixed",
                           "cross_entropy",
                           "mse",
                           "bce_with_logits",
                           "foreach",
                           "fused",
                           "for-loop",
                           "momentum",
                           "clip_norm",
                           "gradient_accumulation_steps",
                           "layer_norm",
                           "dropout",
                           "inplace",
                           "gelu",
                           "silu",
                           "tanh",
                           "sigmoid",
                           "batch_norm1d",
                           "transformer_block",
                           "explicit",
                           "rms_norm",
                           "token_embedding",
                           "every_block"}) {
    EXPECT_NE(text.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace forerun
