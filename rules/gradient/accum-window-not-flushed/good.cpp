#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void stepped_after_the_loop(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, int every, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    opt.zero_grad();
    int i = 0;
    for (const auto& [x, y] : batches) {
      (torch::mse_loss(net->forward(x), y) / every).backward();
      if (++i % every == 0) {
        opt.step();
        opt.zero_grad();
      }
    }
    opt.step();
  }
}
