#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void at_the_end_of_the_epoch(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt,
                             torch::optim::StepLR& scheduler, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (const auto& [x, y] : batches) {
      opt.zero_grad();
      torch::mse_loss(net->forward(x), y).backward();
      opt.step();
    }
    scheduler.step();
  }
}
