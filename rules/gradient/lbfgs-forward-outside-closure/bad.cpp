#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void loss_from_outside(torch::nn::Linear net, torch::Tensor x, torch::Tensor y, int steps) {
  torch::optim::LBFGS opt(net->parameters(), torch::optim::LBFGSOptions(0.5));
  for (int i = 0; i < steps; ++i) {
    auto loss = torch::mse_loss(net->forward(x), y);
    auto closure = [&] {
      opt.zero_grad();
      loss.backward({}, /*retain_graph=*/true);  // expect: lbfgs-forward-outside-closure
      return loss;
    };
    opt.step(closure);
  }
}

void given_at_once(torch::nn::Linear net, torch::Tensor x, torch::Tensor y, int steps) {
  torch::optim::LBFGS opt(net->parameters(), torch::optim::LBFGSOptions(0.5));
  for (int i = 0; i < steps; ++i) {
    auto loss = torch::mse_loss(net->forward(x), y);
    opt.step([&] {
      opt.zero_grad();
      loss.backward({}, /*retain_graph=*/true);  // expect: lbfgs-forward-outside-closure
      return loss;
    });
  }
}
