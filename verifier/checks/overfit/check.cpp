// A network that cannot drive the loss of four points to nothing will not learn anything else
// either.
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "verifier/checks/catalog.h"

namespace forerun::checks {
namespace {

constexpr int kSteps = 100;
constexpr double kLearned = 1e-3;  // of the loss; chance is ln 2 = 0.69

// One thread, and layers made one by one: both change which random number each weight gets or in
// which order sums are taken (a compiler may evaluate the arguments of one constructor call from
// right to left).
torch::nn::Sequential make_network() {
  torch::manual_seed(31);
  torch::nn::Sequential network;
  network->push_back(torch::nn::Linear(2, 8));
  network->push_back(torch::nn::ReLU());
  network->push_back(torch::nn::Linear(8, 2));
  return network;
}

struct Fit {
  double first_loss = 0, last_loss = 0, accuracy = 0;
};

Fit train() {
  const torch::Tensor x = torch::tensor({{-1.f, -1.f}, {-1.f, 1.f}, {1.f, -1.f}, {1.f, 1.f}});
  const torch::Tensor y = torch::tensor({0, 0, 1, 1}, torch::kLong);
  torch::nn::Sequential network = make_network();
  torch::optim::Adam optimizer(network->parameters(), torch::optim::AdamOptions(0.05));
  Fit fit;
  for (int step = 0; step < kSteps; ++step) {
    optimizer.zero_grad();
    const torch::Tensor loss = torch::nn::functional::cross_entropy(network->forward(x), y);
    loss.backward();
    optimizer.step();
    if (step == 0) fit.first_loss = loss.item<double>();
  }
  const torch::NoGradGuard no_grad;
  const torch::Tensor logits = network->forward(x);
  fit.last_loss = torch::nn::functional::cross_entropy(logits, y).item<double>();
  fit.accuracy = logits.argmax(1).eq(y).to(torch::kDouble).mean().item<double>();
  return fit;
}

Outcome run() {
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const Fit fit = train();
  at::set_num_threads(threads);
  return {
      fit.accuracy == 1.0 && fit.last_loss < kLearned,
      fmt::format("{:.6f} -> {:.1e}, accuracy {:.1f}", fit.first_loss, fit.last_loss, fit.accuracy),
      fmt::format("a loss below {:g} and accuracy 1.0 after {} steps", kLearned, kSteps)};
}

}  // namespace

extern const Check overfit;
const Check overfit{"a small network fits one batch of four points: loss to zero, accuracy 1",
                    &run};

}  // namespace forerun::checks
