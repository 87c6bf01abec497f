#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void the_step_is_once_an_epoch_too(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    opt.zero_grad();
    for (const auto& [x, y] : batches) (torch::mse_loss(net->forward(x), y) / 8).backward();
    opt.step();
  }
}

void clear(torch::optim::Optimizer& opt) { opt.zero_grad(); }

void cleared_by_a_helper(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  opt.zero_grad();
  for (const auto& [x, y] : batches) {
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
    clear(opt);
  }
}
