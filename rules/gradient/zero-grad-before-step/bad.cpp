#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void cleared_too_late(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.zero_grad();  // expect: zero-grad-before-step
    opt.step();
  }
}

void the_model_is_cleared(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    net->zero_grad();  // expect: zero-grad-before-step
    opt.step();
  }
}
