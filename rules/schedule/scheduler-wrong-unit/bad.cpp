#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void thirty_batches(torch::nn::Linear net, const Batches& batches, int epochs) {
  torch::optim::SGD opt(net->parameters(), torch::optim::SGDOptions(0.1));
  torch::optim::StepLR scheduler(opt, /*step_size=*/30, /*gamma=*/0.1);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (const auto& [x, y] : batches) {
      opt.zero_grad();
      torch::mse_loss(net->forward(x), y).backward();
      opt.step();
      scheduler.step();  // expect: scheduler-wrong-unit
    }
  }
}
