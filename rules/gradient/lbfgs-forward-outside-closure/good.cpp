#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void evaluated_inside(torch::nn::Linear net, torch::Tensor x, torch::Tensor y, int steps) {
  torch::optim::LBFGS opt(net->parameters(), torch::optim::LBFGSOptions(0.5));
  for (int i = 0; i < steps; ++i) {
    opt.step([&] {
      opt.zero_grad();
      auto loss = torch::mse_loss(net->forward(x), y);
      loss.backward();
      return loss;
    });
  }
}
