#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void with_the_step(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, int every) {
  opt.zero_grad();
  int i = 0;
  for (const auto& [x, y] : batches) {
    (torch::mse_loss(net->forward(x), y) / every).backward();
    if (++i % every == 0) {
      torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
      opt.step();
      opt.zero_grad();
    }
  }
}
