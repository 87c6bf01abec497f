#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void compute_gradients(torch::Tensor loss);

void code_that_is_not_seen_runs_backward(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    compute_gradients(loss);
    opt.step();
  }
}

void in_a_closure(torch::nn::Linear net, torch::Tensor x, torch::Tensor y, torch::optim::LBFGS& opt, int steps) {
  for (int i = 0; i < steps; ++i) {
    opt.step([&] {
      opt.zero_grad();
      auto loss = torch::mse_loss(net->forward(x), y);
      loss.backward();
      return loss;
    });
  }
}
