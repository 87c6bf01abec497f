#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void no_accumulation(const Batches& batches) {
  torch::nn::Sequential net(torch::nn::Linear(8, 8), torch::nn::BatchNorm1d(8));
  torch::optim::SGD opt(net->parameters(), torch::optim::SGDOptions(0.1));
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
  }
}
