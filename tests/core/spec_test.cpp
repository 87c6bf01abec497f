// The spec reader: what it accepts, and that everything else is an error with a place.
#include "core/spec.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"

namespace forerun {
namespace {

using testing::HasSubstr;

const std::string kWhole = R"(model:
  - linear: {in: 64, out: 128, bias: false}
  - relu: {inplace: true}
  - linear: {in: 128, out: 10}
input: {shape: [64], dtype: float32}
target: {shape: [], dtype: int64}
loss: cross_entropy
batch_size: 32
precision: bf16-mixed
optimizer: {name: sgd, momentum: 0.9, weight_decay: 0.1, implementation: for-loop, lr: 0.5}
gradient_accumulation_steps: 4
clip_norm: 1.5
gpu: a100-sxm-80gb
framework: pytorch-2.11
setup: data-first
dataset_size: 50000
epochs: 20
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kWhole;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string problem(const std::string& text) {
  const auto spec = parse_spec(text, "spec.yaml");
  return spec ? "(accepted)" : to_string(spec.error());
}

TEST(Spec, ReadsEveryField) {
  const auto spec = parse_spec(kWhole, "spec.yaml");
  ASSERT_TRUE(spec) << to_string(spec.error());
  EXPECT_EQ(spec->model.size(), 3u);
  EXPECT_EQ(spec->model[1].kind, "relu");
  EXPECT_EQ(to_string(spec->model[2].at), "spec.yaml:4:5");
  EXPECT_TRUE(*flag(spec->model[1], "inplace", false));
  EXPECT_FALSE(*flag(spec->model[0], "bias", true));
  EXPECT_EQ(*positive(spec->model[0], "out"), 128);
  EXPECT_EQ(spec->input.shape, Shape{64});
  EXPECT_EQ(spec->target.dtype, DType::Int64);
  EXPECT_EQ(spec->batch_size, 32);
  EXPECT_EQ(spec->precision, Precision::Bf16Mixed);
  EXPECT_EQ(spec->optimizer.name, OptimizerKind::Sgd);
  EXPECT_EQ(spec->optimizer.implementation, OptimizerImplementation::ForLoop);
  EXPECT_DOUBLE_EQ(spec->optimizer.momentum, 0.9);
  EXPECT_DOUBLE_EQ(spec->optimizer.weight_decay, 0.1);
  EXPECT_EQ(spec->gradient_accumulation_steps, 4);
  EXPECT_DOUBLE_EQ(spec->clip_norm.value(), 1.5);
  EXPECT_EQ(spec->gpu, "a100-sxm-80gb");
  EXPECT_EQ(spec->setup, Setup::DataFirst);
  EXPECT_EQ(spec->dataset_size, 50000);
  EXPECT_EQ(spec->epochs, 20);
}

TEST(Spec, DefaultsArePyTorchs) {
  const auto spec = parse_spec(
      "model: [{linear: {in: 4, out: 2}}]\ninput: {shape: [4]}\ntarget: {shape: []}\nbatch_size: "
      "1\noptimizer: adamw\n",
      "s");
  ASSERT_TRUE(spec) << to_string(spec.error());
  EXPECT_EQ(spec->optimizer.implementation, OptimizerImplementation::Foreach);
  EXPECT_DOUBLE_EQ(spec->optimizer.weight_decay, 0.01);
  EXPECT_EQ(spec->precision, Precision::Fp32);
  EXPECT_EQ(spec->setup, Setup::ModelFirst);
  EXPECT_EQ(spec->target.dtype, DType::Int64);
  EXPECT_FALSE(spec->clip_norm.has_value());
}

TEST(Spec, JsonIsYaml) {
  const auto spec = parse_spec(
      R"({"model": [{"linear": {"in": 4, "out": 2}}], "input": {"shape": [4], "dtype": "float32"},
    "target": {"shape": [], "dtype": "int64"}, "loss": "cross_entropy", "batch_size": 1, "optimizer": {"name": "adam"}, "clip_norm": null})",
      "s.json");
  ASSERT_TRUE(spec) << to_string(spec.error());
  EXPECT_DOUBLE_EQ(spec->optimizer.weight_decay, 0);
}

struct Case {
  std::string from, to, says;
};

TEST(Spec, ErrorsNamePlaceValueAndCure) {
  const std::vector<Case> cases = {
      {"batch_size: 32", "batch_size: 0",
       "spec.yaml:8:13: error: batch_size is '0', expected a positive integer"},
      {"batch_size: 32", "batch_size: -3", "batch_size is '-3', expected a positive integer"},
      {"batch_size: 32", "batch_size: 1.5", "batch_size is '1.5', expected a positive integer"},
      {"batch_size: 32", "batch_size: '32'", "batch_size is '32', expected a positive integer"},
      {"batch_size: 32", "batch_size: 99999999999999999999",
       "expected an integer that fits 64 bits"},
      {"batch_size: 32", "batch_size: [32]", "batch_size is a list"},
      {"precision: bf16-mixed", "precision: bf16-mix",
       "spec.yaml:9:12: error: precision 'bf16-mix' is not known\nhelp: did you mean "
       "'bf16-mixed'?"},
      {"precision:", "precison:",
       "spec.yaml:9:1: error: unknown key 'precison' in the spec\nhelp: did you mean 'precision'?"},
      {"name: sgd, momentum", "name: adam, momentum", "adam has no momentum"},
      {"lr: 0.5", "lr: fast", "optimizer.lr is 'fast', expected a number"},
      {"lr: 0.5", "lr: -1", "optimizer.lr is -1, expected 0 or more"},
      {"lr: 0.5", "lr: .inf", "optimizer.lr is '.inf', expected a number"},
      {"lr: 0.5", "learning_rate: 0.5", "unknown key 'learning_rate' in optimizer"},
      {"clip_norm: 1.5", "clip_norm: 0", "clip_norm is 0, expected a positive number"},
      {"shape: [64]", "shape: [0]", "input.shape is '0', expected a positive integer"},
      {"shape: [64]", "shape: 64", "input.shape is '64', expected a list of sizes"},
      {"dtype: float32", "dtype: float8", "input.dtype 'float8' is not known"},
      {"loss: cross_entropy", "loss: crossentropy", "did you mean 'cross_entropy'?"},
      {"framework: pytorch-2.11", "framework: pytorch-1.13",
       "framework 'pytorch-1.13' is not known"},
      {"setup: data-first", "setup: first", "setup 'first' is not known"},
      {"epochs: 20", "epochs: 20\nepochs: 21", "'epochs' is given twice"},
      {"relu: {inplace: true}", "relu: {inplace: true}\n    gelu: {}",
       "a layer is a mapping of several keys"},
      {"relu: {inplace: true}", "relu: 3", "relu is given '3'"},
      {"relu: {inplace: true}", "relu: {inplace: {a: b}}", "relu.inplace is a mapping"},
      {"gradient_accumulation_steps: 4", "gradient_accumulation_steps: 1000000",
       "gradient_accumulation_steps is 1000000"},
  };
  for (const Case& one : cases)
    EXPECT_THAT(problem(with(one.from, one.to)), HasSubstr(one.says)) << one.to;
}

TEST(Spec, MissingKeysAreNamed) {
  for (const char* key : {"model", "input", "target", "batch_size", "optimizer"}) {
    std::string text;
    bool inside = false;
    std::istringstream lines(kWhole);
    for (std::string line; std::getline(lines, line);) {
      if (line[0] != ' ') inside = line.starts_with(fmt::format("{}:", key));
      if (!inside) text += line + "\n";
    }
    EXPECT_THAT(problem(text), HasSubstr(fmt::format("the spec has no '{}'", key)));
  }
}

TEST(Spec, ModelsGivenAsAMappingSayWhereTheyComeFrom) {
  EXPECT_THAT(problem("model: {onnx: a.onnx, exported: b.pt2}\n"),
              HasSubstr("one of hf_config, torchvision, exported and onnx"));
  EXPECT_THAT(problem("model: {onnx: a.onnx, class: Net}\n"), HasSubstr("has no 'class'"));
  EXPECT_THAT(problem("model: {hf_config: nowhere.json}\n"), HasSubstr("hf_config 'nowhere.json'"));
  EXPECT_THAT(problem("model: {torch_vision: resnet50}\n"), HasSubstr("torchvision"));
  EXPECT_THAT(problem("model: []\n"), HasSubstr("model has no layers"));
}

TEST(Spec, WhatIsNoYamlIsSaidWithItsPlace) {
  EXPECT_THAT(problem("model: [unclosed\n"), HasSubstr("spec.yaml:2:1: error: is not valid YAML"));
  EXPECT_THAT(problem(""), HasSubstr("is empty"));
  EXPECT_THAT(problem("just words"), HasSubstr("the spec is 'just words', expected a mapping"));
  EXPECT_THAT(problem(std::string("model\0: x", 9)), HasSubstr("is not a text file"));
  EXPECT_THAT(problem("\xff\xfe\x80"), HasSubstr("is not a text file"));
  EXPECT_THAT(problem("a: 1\n---\nb: 2\n"), HasSubstr("a second document"));
  EXPECT_THAT(problem(",000 bytes of a# word"), HasSubstr("a second document"));
  EXPECT_THAT(problem("? [a, b]\n: c\n"), HasSubstr("a key must be a word"));
}

TEST(Spec, AliasesAndNestingAreBounded) {
  std::string laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    std::string items;
    for (int k = 0; k < 10; ++k) items += fmt::format("{}*a{}", k == 0 ? "" : ", ", i - 1);
    laughs += fmt::format("a{0}: &a{0} [{1}]\n", i, items);
  }
  EXPECT_THAT(problem(laughs), HasSubstr("values once its aliases are expanded"));
  EXPECT_THAT(problem("a: &a [*a]\n"),
              testing::AnyOf(HasSubstr("nested more than"), HasSubstr("not valid YAML")));
  const std::string deep = "model: " + std::string(300, '[') + std::string(300, ']') + "\n";
  EXPECT_THAT(problem(deep), HasSubstr("nested more than"));
  const std::string deeper = "model: " + std::string(100'000, '[');
  EXPECT_THAT(problem(deeper), HasSubstr("error"));
}

TEST(Spec, AfterIsReadBesideTheFileThatNamesIt) {
  const test::TemporaryFolder folder;
  folder.write("first.yaml", kWhole);
  const std::string second = folder.write("second.yaml", kWhole + "after: first.yaml\n");
  const auto spec = read_spec(second);
  ASSERT_TRUE(spec) << to_string(spec.error());
  ASSERT_NE(spec->after, nullptr);
  EXPECT_EQ(spec->after->batch_size, 32);
}

TEST(Spec, AChainOfAfterMustEnd) {
  const test::TemporaryFolder folder;
  folder.write("a.yaml", kWhole + "after: b.yaml\n");
  folder.write("b.yaml", kWhole + "after: ./a.yaml\n");
  const auto cyclic = read_spec(folder.path() + "/a.yaml");
  ASSERT_FALSE(cyclic);
  EXPECT_THAT(to_string(cyclic.error()),
              HasSubstr("b.yaml:18:8: error: after: './a.yaml' runs before itself"));
  const auto own = read_spec(folder.write("self.yaml", kWhole + "after: self.yaml\n"));
  ASSERT_FALSE(own);
  EXPECT_THAT(to_string(own.error()), HasSubstr("runs before itself"));
}

TEST(Spec, AMissingAfterIsToldWhereItIsNamed) {
  const test::TemporaryFolder folder;
  const auto spec = read_spec(folder.write("a.yaml", kWhole + "after: gone.yaml\n"));
  ASSERT_FALSE(spec);
  EXPECT_THAT(
      to_string(spec.error()),
      HasSubstr("a.yaml:18:8: error: after: 'gone.yaml': cannot open: No such file or directory"));
}

TEST(LayerArguments, WrongOnesAreToldWithTheirPlace) {
  const auto spec =
      parse_spec(with("{in: 64, out: 128, bias: false}", "{in: 64, out: many, bias: 3, wide: 1}"),
                 "spec.yaml");
  ASSERT_TRUE(spec) << to_string(spec.error());
  const LayerSpec& layer = spec->model[0];
  EXPECT_EQ(to_string(positive(layer, "out").error()),
            "spec.yaml:2:27: error: linear.out is 'many', expected a positive integer of at most "
            "64 bits");
  EXPECT_EQ(to_string(flag(layer, "bias", true).error()),
            "spec.yaml:2:39: error: linear.bias is 3, expected true or false");
  EXPECT_THAT(to_string(positive(layer, "depth").error()),
              HasSubstr("spec.yaml:2:5: error: linear has no 'depth'"));
  EXPECT_THAT(to_string(only_arguments(layer, {"in", "out", "bias"}).error()),
              HasSubstr("spec.yaml:2:42: error: linear has no argument 'wide'"));
}

}  // namespace
}  // namespace forerun
