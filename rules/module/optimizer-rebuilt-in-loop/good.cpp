#include <torch/torch.h>

#include <utility>
#include <vector>

void fit(torch::nn::Linear net, const std::vector<std::pair<torch::Tensor, torch::Tensor>>& batches, int epochs) {
  torch::optim::Adam opt(net->parameters(), torch::optim::AdamOptions(0.1));
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (const auto& [x, y] : batches) {
      opt.zero_grad();
      torch::mse_loss(net->forward(x), y).backward();
      opt.step();
    }
  }
}
