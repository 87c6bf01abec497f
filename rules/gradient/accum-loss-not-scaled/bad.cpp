#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void every_kth_round(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, int every) {
  opt.zero_grad();
  int i = 0;
  for (const auto& [x, y] : batches) {
    auto loss = torch::nn::functional::cross_entropy(net->forward(x), y);
    loss.backward();  // expect: accum-loss-not-scaled
    if (++i % every == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}
