#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void no_step(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();  // expect: step-missing
  }
}

void made_and_never_used(torch::Tensor x, torch::Tensor y, int steps) {
  torch::nn::Linear net(4, 1);
  torch::optim::Adam opt(net->parameters(), torch::optim::AdamOptions(1e-3));
  for (int i = 0; i < steps; ++i) {
    net->zero_grad();
    torch::mse_loss(net->forward(x), y).backward();  // expect: step-missing
  }
}
