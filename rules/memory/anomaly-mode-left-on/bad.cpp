#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void switched_on_in_training(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  torch::autograd::AnomalyMode::set_enabled(true);  // expect: anomaly-mode-left-on
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
  }
}
