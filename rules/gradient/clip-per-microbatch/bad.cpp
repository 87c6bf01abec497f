#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void every_round(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, int every) {
  opt.zero_grad();
  int i = 0;
  for (const auto& [x, y] : batches) {
    (torch::mse_loss(net->forward(x), y) / every).backward();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);  // expect: clip-per-microbatch
    if (++i % every == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}
