#include <torch/torch.h>

void a_guard_over_everything(torch::nn::Linear net, torch::Tensor x, torch::Tensor y, torch::optim::Optimizer& opt) {
  torch::NoGradGuard no_grad;  // expect: no-grad-around-training
  opt.zero_grad();
  auto loss = torch::mse_loss(net->forward(x), y);
  loss.backward();
  opt.step();
}
