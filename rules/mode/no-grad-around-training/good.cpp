#include <torch/torch.h>

void a_frozen_part(torch::nn::Linear encoder, torch::nn::Linear head, torch::Tensor x, torch::Tensor y,
                   torch::optim::Optimizer& opt) {
  opt.zero_grad();
  torch::Tensor features;
  {
    torch::NoGradGuard no_grad;
    features = encoder->forward(x);
  }
  torch::mse_loss(head->forward(features), y).backward();
  opt.step();
}
