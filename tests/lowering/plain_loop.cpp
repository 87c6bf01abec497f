#include <torch/torch.h>

void fit(torch::nn::Sequential net, const std::vector<std::pair<torch::Tensor, torch::Tensor>>& batches,
         torch::optim::Optimizer& opt, int epochs) {
  net->train();
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (const auto& [x, y] : batches) {
      opt.zero_grad();
      auto loss = torch::mse_loss(net->forward(x), y);
      loss.backward();
      opt.step();
    }
  }
}
