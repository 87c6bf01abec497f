#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void after_backward(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    opt.step();
  }
}
