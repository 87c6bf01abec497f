#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void cleared_outside_only(torch::nn::Linear net, torch::Tensor x, torch::Tensor y, int steps) {
  torch::optim::LBFGS opt(net->parameters(), torch::optim::LBFGSOptions(0.5));
  auto closure = [&] {
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();  // expect: lbfgs-no-zero-grad-in-closure
    return loss;
  };
  for (int i = 0; i < steps; ++i) {
    opt.zero_grad();
    opt.step(closure);
  }
}
