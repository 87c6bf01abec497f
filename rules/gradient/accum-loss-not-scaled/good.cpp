#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void divided(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, int every) {
  opt.zero_grad();
  int i = 0;
  for (const auto& [x, y] : batches) {
    auto loss = torch::cross_entropy_loss(net->forward(x), y) / every;
    loss.backward();
    if (++i % every == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}
