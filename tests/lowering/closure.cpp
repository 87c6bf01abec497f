#include <torch/torch.h>

void fit(torch::nn::Sequential net, torch::Tensor x, torch::Tensor y, int steps) {
  torch::optim::LBFGS opt(net->parameters());

  auto closure = [&]() -> torch::Tensor {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    return loss;
  };

  for (int i = 0; i < steps; i++) opt.step(closure);
}
