#include <torch/torch.h>

#include <utility>
#include <vector>

void fit(torch::nn::Linear net, const std::vector<std::pair<torch::Tensor, torch::Tensor>>& batches, int epochs,
         double lr) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    if (epoch == epochs / 2) lr /= 10;
    torch::optim::Adam opt(net->parameters(), torch::optim::AdamOptions(lr));  // expect: optimizer-rebuilt-in-loop
    for (const auto& [x, y] : batches) {
      opt.zero_grad();
      torch::mse_loss(net->forward(x), y).backward();
      opt.step();
    }
  }
}
