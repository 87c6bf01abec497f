#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void carried(torch::nn::GRUCell cell, torch::nn::Linear head, const Batches& batches, torch::optim::Optimizer& opt) {
  auto hidden = torch::zeros({8, 16});
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    hidden = cell->forward(x, hidden);  // expect: hidden-state-not-detached
    torch::mse_loss(head->forward(hidden), y).backward();
    opt.step();
  }
}
