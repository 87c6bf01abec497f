#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void the_rest_is_cleared(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, int every, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    opt.zero_grad();
    int i = 0;
    for (const auto& [x, y] : batches) {
      (torch::mse_loss(net->forward(x), y) / every).backward();
      if (++i % every == 0) {  // expect: accum-window-not-flushed
        opt.step();
        opt.zero_grad();
      }
    }
  }
}
