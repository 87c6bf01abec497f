#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void detached(torch::nn::GRUCell cell, torch::nn::Linear head, const Batches& batches, torch::optim::Optimizer& opt) {
  auto hidden = torch::zeros({8, 16});
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    hidden = cell->forward(x, hidden.detach());
    torch::mse_loss(head->forward(hidden), y).backward();
    opt.step();
  }
}

void made_anew(torch::nn::GRUCell cell, torch::nn::Linear head, const std::vector<Batches>& windows, torch::optim::Optimizer& opt) {
  for (const auto& window : windows) {
    auto hidden = torch::zeros({8, 16});
    auto loss = torch::zeros({});
    opt.zero_grad();
    for (const auto& [x, y] : window) {
      hidden = cell->forward(x, hidden);
      loss = loss + torch::mse_loss(head->forward(hidden), y);
    }
    loss.backward();
    opt.step();
  }
}
