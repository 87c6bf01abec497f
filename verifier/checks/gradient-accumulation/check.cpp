// Micro-batches add up to the full batch only when each mean loss is divided by their number, or,
// when they are not equally large, weighted by its share of the samples.
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/format.h>
#include <torch/nn/functional/loss.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "verifier/checks/catalog.h"

namespace forerun::checks {
namespace {

constexpr std::int64_t kSamples = 32;

struct Problem {
  torch::nn::Linear model{nullptr};
  torch::Tensor x, y;
};

Problem make_problem() {
  torch::manual_seed(31);
  Problem problem;
  problem.model = torch::nn::Linear(8, 4);
  problem.model->to(torch::kDouble);  // so that a ratio of 1 is 1, not 1 to seven digits
  problem.x = torch::randn({kSamples, 8}, torch::kDouble);
  problem.y = torch::randn({kSamples, 4}, torch::kDouble);
  return problem;
}

// The gradient of the sum over micro-batches of weight(size) * mean loss, as one vector.
torch::Tensor gradient(Problem& problem, const std::vector<std::int64_t>& sizes,
                       const std::function<double(std::int64_t size)>& weight) {
  problem.model->zero_grad();
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    const auto part = torch::indexing::Slice(begin, begin + size);
    const torch::Tensor loss = torch::nn::functional::mse_loss(
        problem.model->forward(problem.x.index({part})), problem.y.index({part}));
    (loss * weight(size)).backward();
    begin += size;
  }
  return torch::cat({problem.model->weight.grad().flatten(), problem.model->bias.grad()});
}

double distance(const torch::Tensor& a, const torch::Tensor& b) {
  return ((a - b).norm() / b.norm()).item<double>();
}

Outcome run() {
  Problem problem = make_problem();
  const auto whole = gradient(problem, {kSamples}, [](std::int64_t) { return 1.0; });
  const std::vector<std::int64_t> equal{8, 8, 8, 8}, unequal{10, 10, 10, 2};
  const auto divided = gradient(problem, equal, [](std::int64_t) { return 1.0 / 4; });
  const auto undivided = gradient(problem, equal, [](std::int64_t) { return 1.0; });
  const auto by_size = gradient(
      problem, unequal, [](std::int64_t size) { return static_cast<double>(size) / kSamples; });
  const auto by_count = gradient(problem, unequal, [](std::int64_t) { return 1.0 / 4; });

  const auto ratio = [&](const torch::Tensor& g) {
    return (g.norm() / whole.norm()).item<double>();
  };
  const bool passed = distance(divided, whole) < 1e-12 && std::abs(ratio(undivided) - 4) < 1e-12 &&
                      distance(by_size, whole) < 1e-12 && distance(by_count, whole) > 1e-3;
  return {passed,
          fmt::format("4 micro-batches: gradient norm / full batch {:.1f} divided by 4, {:.1f} "
                      "undivided; an unequal last one: off by "
                      "{:.1f} % weighted by size, {:.1f} % divided by 4",
                      ratio(divided), ratio(undivided), distance(by_size, whole) * 100,
                      distance(by_count, whole) * 100),
          "ratios 1.0 and 4.0, and no difference when unequal micro-batches are weighted by size"};
}

}  // namespace

extern const Check gradient_accumulation;
const Check gradient_accumulation{
    "micro-batches give the full batch's gradient when losses are divided", &run};

}  // namespace forerun::checks
