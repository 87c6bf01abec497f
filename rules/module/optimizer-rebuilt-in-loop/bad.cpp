#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void every_epoch(torch::nn::Linear net, const Batches& batches, int epochs, double lr) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    if (epoch == epochs / 2) lr /= 10;
    torch::optim::Adam opt(net->parameters(), torch::optim::AdamOptions(lr));  // expect: optimizer-rebuilt-in-loop
    for (const auto& [x, y] : batches) {
      opt.zero_grad();
      torch::mse_loss(net->forward(x), y).backward();
      opt.step();
    }
  }
}

void every_step(torch::nn::Linear net, const Batches& batches) {
  for (const auto& [x, y] : batches) {
    torch::optim::SGD opt(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));  // expect: optimizer-rebuilt-in-loop
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
  }
}
