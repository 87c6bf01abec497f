#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void counted_by_hand(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, int every) {
  int i = 0;
  for (const auto& [x, y] : batches) {
    opt.zero_grad();  // expect: zero-grad-kills-accumulation
    (torch::mse_loss(net->forward(x), y) / every).backward();
    if (++i % every == 0) opt.step();
  }
}

void a_loop_of_micro_batches(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, int steps, int every) {
  for (int step = 0; step < steps; ++step) {
    for (int k = 0; k < every; ++k) {
      opt.zero_grad();  // expect: zero-grad-kills-accumulation
      (torch::mse_loss(net->forward(batches[k].first), batches[k].second) / every).backward();
    }
    opt.step();
  }
}
