#include "estimator/graph/exported.h"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "estimator/devices/device.h"
#include "estimator/pipeline/estimate.h"
#include "tests/readers/archives.h"

namespace forerun {
namespace {

using readers::described;
using readers::Json;
using readers::Members;
using readers::Mlp;
using readers::tensor_named;
using readers::zipped;
using testing::HasSubstr;

Result<readers::ExportedProgram> parsed(const Members& members) {
  static std::string bytes;
  bytes = zipped(members);
  return readers::parse_exported(readers::open_memory(bytes), "mlp.pt2");
}

std::string problem_of(const Members& members) {
  const auto program = parsed(members);
  return program ? "none" : to_string(program.error());
}

Members with_model(const std::string& model) { return {{"mlp/models/model.json", model}}; }

Result<Estimate> estimated(const Mlp& mlp, const std::string& rest = "") {
  auto program = parsed(mlp.members());
  if (!program) return program.error();
  auto spec = parse_spec("model: {exported: mlp.pt2}\noptimizer: adamw\ngpu: a100-sxm-80gb\n" +
                             (rest.empty() ? "target: {shape: []}\nbatch_size: 64\n" : rest),
                         "spec.yaml");
  if (!spec) return spec.error();
  spec->source->program = std::make_shared<const readers::ExportedProgram>(std::move(*program));
  const auto all = pipeline::estimate({*spec}, *devices::find("a100-sxm-80gb"));
  if (!all) return all.error();
  return (*all)[0];
}

std::string refusal(const Mlp& mlp, const std::string& rest = "") {
  const auto made = estimated(mlp, rest);
  return made ? "none" : to_string(made.error());
}

// What PyTorch 2.11 allocated on the emulated device for the archive that torch.export.save wrote
// of this network, loaded, moved and trained (tests/emulator/run_exported.py).
TEST(Exported, IsToTheByteWhatPyTorchAllocates) {
  const auto made = estimated(Mlp{});
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(made->memory.parameter_count, 203'530);
  ASSERT_EQ(made->memory.steps.size(), 3u);
  for (const auto& step : made->memory.steps) {
    EXPECT_EQ(step.peak_allocated_bytes, 22'362'624);
    EXPECT_EQ(step.peak_reserved_bytes, 27'262'976);
    EXPECT_EQ(step.end_allocated_bytes, 20'732'928);
  }
}

TEST(Exported, KeepsTheOrderOfTheState) {
  const auto program = parsed(Mlp{}.members());
  ASSERT_TRUE(program) << to_string(program.error());
  ASSERT_EQ(program->state.size(), 4u);
  EXPECT_EQ(program->state[0].target, "0.weight");  // not by name
  EXPECT_EQ(program->state[1].target, "0.bias");
  EXPECT_EQ(program->graph.nodes[0].module, "0");
  EXPECT_EQ(program->graph.tensors.at("x").sizes[0].symbol, "s77");
}

TEST(Exported, NamesAnOperatorThatIsNotModelled) {
  Mlp mlp;
  mlp.nodes[1].target = "torch.ops.aten.special_bessel_j0.default";
  EXPECT_EQ(
      refusal(mlp),
      "mlp.pt2: error: node 'relu' (torch.ops.aten.special_bessel_j0.default, 1): this operator "
      "is not modelled");
}

TEST(Exported, RefusesARresultOfAnotherShapeThanTheArchiveSays) {
  Mlp mlp;
  mlp.tensors["linear_1"] = described({-1, 11}, 7, false);
  EXPECT_THAT(refusal(mlp), HasSubstr("its result is [64, 10], where the archive says [s77, 11]"));
}

TEST(Exported, RefusesArgumentsThatDoNotFit) {
  Mlp mlp;
  mlp.nodes[0].arguments[1].second = tensor_named("w3");
  EXPECT_THAT(refusal(mlp), HasSubstr("[64, 784] and [10, 256] do not multiply"));
  mlp.nodes[0].arguments[1].second = tensor_named("nowhere");
  EXPECT_THAT(refusal(mlp), HasSubstr("the tensor 'nowhere' is not known there"));
  mlp.nodes[0].arguments[1].second = Json{{"as_int", 3}};
  EXPECT_THAT(refusal(mlp), HasSubstr("'weight' is no tensor"));
}

TEST(Exported, AsksForASpecThatAgrees) {
  Mlp fixed;
  fixed.tensors["x"] = described({4, 784}, 7, false);
  EXPECT_THAT(refusal(fixed), HasSubstr("batch_size asks for 64, but its input 'x' has 4 there"));
  EXPECT_THAT(refusal(Mlp{}, "batch_size: 1\ntarget: {shape: []}\n"),
              HasSubstr("batch_size asks for 1, which the program was not exported for"));
  EXPECT_THAT(refusal(Mlp{}, "batch_size: 8\n"), HasSubstr("the spec has no 'target'"));
  EXPECT_THAT(refusal(Mlp{}, "batch_size: 8\ntarget: {shape: []}\nprecision: bf16\n"),
              HasSubstr("its parameters are float32, but precision: bf16 trains bfloat16"));
  EXPECT_THAT(refusal(Mlp{}, "batch_size: 8\ntarget: {shape: []}\ninput: {shape: [10]}\n"),
              HasSubstr("input.shape asks for 10, but its input 'x' has 784 there"));
  EXPECT_THAT(refusal(Mlp{}, "batch_size: 8\ntarget: {shape: []}\nframework: libtorch-2.11\n"),
              HasSubstr("an exported program is run by Python"));
}

TEST(Exported, SaysWhereAnArchiveIsWrong) {
  EXPECT_THAT(problem_of({{"a", "b"}}), HasSubstr("mlp.pt2: error: holds no exported program"));
  EXPECT_THAT(problem_of(with_model("{\"a\": ")),
              HasSubstr("mlp.pt2: error: mlp/models/model.json: no JSON at byte"));
  EXPECT_THAT(problem_of(with_model("[]")), HasSubstr("is array, expected an object"));
  EXPECT_THAT(problem_of(with_model("{}")), HasSubstr("graph_module is missing"));
  EXPECT_THAT(problem_of(with_model(std::string(1000, '['))), HasSubstr("nested deeper than"));
  Mlp old;
  old.schema = 7;
  EXPECT_THAT(problem_of(old.members()), HasSubstr("schema_version.major is 7, expected 8"));
  Json model = Json::parse(Mlp{}.model());
  model["graph_module"]["graph"]["nodes"][2].erase("target");
  EXPECT_THAT(problem_of(with_model(model.dump())),
              HasSubstr("graph_module.graph.nodes[2].target is missing"));
}

}  // namespace
}  // namespace forerun
