#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void cleared_with_the_step(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, int every) {
  opt.zero_grad();
  int i = 0;
  for (const auto& [x, y] : batches) {
    (torch::mse_loss(net->forward(x), y) / every).backward();
    if (++i % every == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void no_accumulation(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
  }
}
