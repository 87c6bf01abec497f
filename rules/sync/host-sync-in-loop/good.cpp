#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void every_hundred_steps(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  int step = 0;
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();
    if (++step % 100 == 0) std::printf("%d %f\n", step, loss.item<float>());
  }
}

void once_an_epoch(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    auto total = torch::zeros({});
    for (const auto& [x, y] : batches) {
      opt.zero_grad();
      auto loss = torch::mse_loss(net->forward(x), y);
      loss.backward();
      opt.step();
      total += loss.detach();
    }
    std::printf("%f\n", total.item<float>());
  }
}

void a_loss_that_is_not_finite(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    if (!std::isfinite(loss.item<float>())) throw std::runtime_error("loss is not finite");
    loss.backward();
    opt.step();
  }
}

double evaluation(torch::nn::Linear net, const Batches& batches) {
  torch::NoGradGuard no_grad;
  double total = 0;
  for (const auto& [x, y] : batches) total += torch::mse_loss(net->forward(x), y).item<double>();
  return total;
}

void on_the_cpu(const Batches& batches) {
  torch::nn::Linear net(4, 2);
  torch::optim::SGD opt(net->parameters(), torch::optim::SGDOptions(0.1));
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();
    std::printf("%f\n", loss.item<float>());
  }
}
