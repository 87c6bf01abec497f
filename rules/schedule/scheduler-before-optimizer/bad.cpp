#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void in_every_batch(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, torch::optim::StepLR& scheduler) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    scheduler.step();  // expect: scheduler-before-optimizer
    opt.step();
  }
}
