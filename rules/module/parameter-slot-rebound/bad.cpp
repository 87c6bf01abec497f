#include <torch/torch.h>

void by_hand(torch::nn::Linear net, double lr) {
  torch::NoGradGuard no_grad;
  for (auto& p : net->parameters()) {
    p = p - lr * p.grad();  // expect: parameter-slot-rebound
  }
}

void after_the_optimizer(torch::Tensor x, torch::Tensor y) {
  torch::nn::Linear net(4, 2);
  torch::optim::SGD opt(net->parameters(), 0.1);
  net->weight = torch::zeros({2, 4}, torch::requires_grad());  // expect: parameter-slot-rebound
  torch::mse_loss(net->forward(x), y).backward();
  opt.step();
}
