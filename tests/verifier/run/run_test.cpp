// The replayed Python optimizers, scaler, clipping and step against LibTorch's own, on the CPU.
#include "verifier/run/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "verifier/run/amp.h"
#include "verifier/run/network.h"
#include "verifier/run/optimizers.h"
#include "verifier/run/training.h"

namespace forerun::run {
namespace {

LayerSpec layer(const std::string& kind, std::vector<LayerSpec::Argument> arguments = {}) {
  LayerSpec spec;
  spec.kind = kind;
  spec.arguments = std::move(arguments);
  return spec;
}

LayerSpec linear(std::int64_t in, std::int64_t out) {
  return layer("linear", {{"in", {in, {}}, {}}, {"out", {out, {}}, {}}});
}

Spec mlp() {
  Spec spec;
  spec.path = "mlp.yaml";
  spec.model = {linear(6, 8), layer("relu"), linear(8, 3)};
  spec.input = {{6}, DType::Float32, {}};
  spec.target = {{}, DType::Int64, {}};
  spec.batch_size = 12;
  return spec;
}

Batch random_batch() { return {torch::randn({12, 6}), torch::randint(0, 3, {12}, torch::kLong)}; }

// The parameters, end to end, after three steps on one random batch.
torch::Tensor trained(const Spec& spec) {
  torch::manual_seed(7);
  auto training = Training::start(spec, at::kCPU);
  const Batch batch = random_batch();
  for (int i = 0; i < 3; ++i) training->step(batch);
  std::vector<torch::Tensor> flat;
  for (const torch::Tensor& parameter : training->network().parameters())
    flat.push_back(parameter.detach().flatten());
  return torch::cat(flat);
}

struct OptimizerCase {
  OptimizerKind name;
  OptimizerImplementation implementation;
  double momentum, weight_decay;

  friend std::ostream& operator<<(std::ostream& out, const OptimizerCase& c) {
    return out << forerun::name(c.name) << " " << forerun::name(c.implementation) << " momentum "
               << c.momentum << " decay " << c.weight_decay;
  }
};

std::vector<OptimizerCase> all_cases() {
  std::vector<OptimizerCase> cases;
  for (const auto name : {OptimizerKind::Sgd, OptimizerKind::Adam, OptimizerKind::AdamW}) {
    for (const auto implementation :
         {OptimizerImplementation::Foreach, OptimizerImplementation::ForLoop,
          OptimizerImplementation::Fused}) {
      for (const double momentum : {0.0, 0.9}) {
        if (momentum > 0 && name != OptimizerKind::Sgd) continue;
        for (const double decay : {0.0, 0.1})
          cases.push_back({name, implementation, momentum, decay});
      }
    }
  }
  return cases;
}

class PythonOptimizer : public ::testing::TestWithParam<OptimizerCase> {};
INSTANTIATE_TEST_SUITE_P(All, PythonOptimizer, ::testing::ValuesIn(all_cases()));

TEST_P(PythonOptimizer, MovesParametersWhereTorchOptimDoes) {
  Spec spec = mlp();
  spec.optimizer.name = GetParam().name;
  spec.optimizer.implementation = GetParam().implementation;
  spec.optimizer.momentum = GetParam().momentum;
  spec.optimizer.weight_decay = GetParam().weight_decay;
  spec.optimizer.lr = 0.05;
  const torch::Tensor ours = trained(spec);
  spec.framework.frontend = Framework::Frontend::LibTorch;
  const torch::Tensor theirs = trained(spec);
  EXPECT_TRUE(torch::allclose(ours, theirs, 1e-5, 1e-6))
      << (ours - theirs).abs().max().item<double>();
  spec.optimizer.lr = 0;
  spec.optimizer.weight_decay = 0;
  EXPECT_FALSE(torch::allclose(theirs, trained(spec), 1e-5, 1e-3)) << "nothing was learned at all";
}

TEST(Clip, PythonsSequenceScalesAsTorchDoes) {
  torch::manual_seed(3);
  std::vector<torch::Tensor> ours, theirs;
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{4, 5}, {5}, {}}) {
    const torch::Tensor grad = torch::randn(shape) * 10;
    for (auto* list : {&ours, &theirs}) {
      list->push_back(torch::zeros(shape).requires_grad_(true));
      list->back().mutable_grad() = grad.clone();
    }
  }
  clip_grad_norm(ours, 1.5, Framework::Frontend::PyTorch);
  torch::nn::utils::clip_grad_norm_(theirs, 1.5);
  double squares = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_TRUE(torch::allclose(ours[i].grad(), theirs[i].grad()));
    squares += ours[i].grad().pow(2).sum().item<double>();
  }
  EXPECT_NEAR(std::sqrt(squares), 1.5, 1e-4);
}

TEST(Clip, LeavesSmallGradientsAlone) {
  std::vector<torch::Tensor> parameters{torch::zeros({2}).requires_grad_(true)};
  parameters[0].mutable_grad() = torch::tensor({0.3f, 0.4f});
  clip_grad_norm(parameters, 1.0, Framework::Frontend::PyTorch);
  EXPECT_TRUE(torch::allclose(parameters[0].grad(), torch::tensor({0.3f, 0.4f})));
}

TEST(Accumulation, GivesTheGradientOfOneBatchWhateverTheCount) {
  Spec spec = mlp();
  spec.optimizer.name = OptimizerKind::Sgd;
  spec.optimizer.lr = 0.1;
  const torch::Tensor once = trained(spec);
  spec.gradient_accumulation_steps = 4;  // the same batch four times: the mean of four equal losses
  EXPECT_TRUE(torch::allclose(once, trained(spec), 1e-5, 1e-6));
}

std::vector<torch::Tensor> one_parameter(float grad) {
  std::vector<torch::Tensor> parameters{torch::ones({1}).requires_grad_(true)};
  parameters[0].mutable_grad() = torch::full({1}, grad);
  return parameters;
}

class Scaler : public ::testing::TestWithParam<OptimizerImplementation> {
 protected:
  OptimizerSpec sgd() const {
    OptimizerSpec spec;
    spec.name = OptimizerKind::Sgd;
    spec.implementation = GetParam();
    spec.lr = 1;
    return spec;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Scaler,
                         ::testing::Values(OptimizerImplementation::Foreach,
                                           OptimizerImplementation::ForLoop,
                                           OptimizerImplementation::Fused));

TEST_P(Scaler, DividesByTheScaleBeforeTheStep) {
  auto parameters = one_parameter(0.25f * 65536);
  const auto optimizer = make_python_sgd(sgd(), parameters);
  GradScaler scaler(true);
  EXPECT_EQ(scaler.scale(torch::ones({})).item<float>(), 65536.f);
  scaler.step(*optimizer, parameters);
  scaler.update();
  EXPECT_FLOAT_EQ(parameters[0].item<float>(), 0.75f);
}

TEST_P(Scaler, SkipsTheStepOnInfinityAndHalvesTheScale) {
  auto parameters = one_parameter(std::numeric_limits<float>::infinity());
  const auto optimizer = make_python_sgd(sgd(), parameters);
  GradScaler scaler(true);
  scaler.scale(torch::ones({}));
  scaler.step(*optimizer, parameters);
  scaler.update();
  EXPECT_FLOAT_EQ(parameters[0].item<float>(), 1.f);
  EXPECT_EQ(scaler.scale(torch::ones({})).item<float>(), 32768.f);
}

TEST_P(Scaler, DoesNotDivideTwiceAfterUnscale) {
  auto parameters = one_parameter(0.25f * 65536);
  const auto optimizer = make_python_sgd(sgd(), parameters);
  GradScaler scaler(true);
  scaler.scale(torch::ones({}));
  scaler.unscale(parameters);
  EXPECT_FLOAT_EQ(parameters[0].grad().item<float>(), 0.25f);
  scaler.step(*optimizer, parameters);
  EXPECT_FLOAT_EQ(parameters[0].item<float>(), 0.75f);
}

TEST(AutocastBlock, CastsInsideAndRestoresOutside) {
  const torch::Tensor a = torch::ones({4, 4}), w = torch::ones({4, 4}).requires_grad_(true);
  {
    const Autocast autocast(at::kCPU, at::kBFloat16);
    EXPECT_EQ(torch::mm(a, w).scalar_type(), at::kBFloat16);
  }
  EXPECT_EQ(torch::mm(a, w).scalar_type(), at::kFloat);
  const Autocast nothing(at::kCPU, std::nullopt);
  EXPECT_EQ(torch::mm(a, w).scalar_type(), at::kFloat);
}

TEST(NetworkOf, CountsParametersAndConvertsOnlyFloatingTensors) {
  Spec spec = mlp();
  spec.model = {linear(784, 256), layer("relu"), linear(256, 10)};
  auto network = Network::build(spec);
  ASSERT_TRUE(network);
  EXPECT_EQ(network->parameter_count(), 203'530);
  EXPECT_EQ(network->parameters_bytes(), 814'120);
  network->to(at::kBFloat16);
  EXPECT_EQ(network->parameters_bytes(), 407'060);
}

TEST(NetworkOf, ALayerWithoutATorchModuleIsAnErrorThatListsTheOthers) {
  Spec spec = mlp();
  spec.model.push_back(layer("perceptron"));
  const auto network = Network::build(spec);
  ASSERT_FALSE(network);
  EXPECT_THAT(network.error().message, ::testing::HasSubstr("perceptron"));
  EXPECT_THAT(network.error().accepted, ::testing::HasSubstr(" linear, "));
  EXPECT_THAT(network.error().accepted, ::testing::HasSubstr(" relu, "));
}

// Each intermediate must be gone when the next exists, or peaks are those of another program.
TEST(NetworkOf, KeepsNoIntermediateAlive) {
  Spec spec = mlp();
  spec.model = {layer("gelu"), layer("gelu"), layer("gelu")};
  const auto network = Network::build(spec);
  ASSERT_TRUE(network);
  const torch::NoGradGuard no_grad;
  const torch::Tensor input = torch::randn({12, 6});
  const torch::Tensor output = network->forward(input);
  EXPECT_EQ(input.use_count(), 1u);
  EXPECT_EQ(output.use_count(), 1u);
}

TEST(Measure, RunsOnTheCpuWithoutPretendingToKnowPeaks) {
  const auto measured = measure({mlp()}, {DeviceKind::Cpu});
  ASSERT_TRUE(measured) << to_string(measured.error());
  EXPECT_EQ(measured->front().parameter_count, 6 * 8 + 8 + 8 * 3 + 3);
  EXPECT_TRUE(measured->front().steps.empty());
  ASSERT_EQ(measured->front().notes.size(), 1u);
  EXPECT_THAT(measured->front().notes[0], ::testing::HasSubstr("no caching allocator"));
}

TEST(Measure, RunsWhatCameBefore) {
  Spec spec = mlp();
  spec.after = std::make_shared<Spec>(mlp());
  const auto measured = measure({spec, mlp()}, {DeviceKind::Cpu});
  ASSERT_TRUE(measured) << to_string(measured.error());
  EXPECT_EQ(measured->size(), 2u);
}

TEST(Measure, AnotherVersionIsRefused) {
  Spec spec = mlp();
  spec.framework.minor += 1;
  const auto measured = measure({spec}, {DeviceKind::Cpu});
  ASSERT_FALSE(measured);
  EXPECT_THAT(measured.error().message, ::testing::HasSubstr("versions allocate differently"));
}

TEST(Measure, WhatLibTorchRefusesIsAnErrorInItsWords) {
  Spec spec = mlp();
  spec.model = {linear(5, 3)};  // the input has 6
  const auto measured = measure({spec}, {DeviceKind::Cpu});
  ASSERT_FALSE(measured);
  EXPECT_THAT(measured.error().message,
              ::testing::HasSubstr("mat1 and mat2 shapes cannot be multiplied"));
}

}  // namespace
}  // namespace forerun::run
