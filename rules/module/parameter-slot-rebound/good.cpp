#include <torch/torch.h>

void in_place(torch::nn::Linear net, double lr) {
  torch::NoGradGuard no_grad;
  for (auto& p : net->parameters()) {
    p.sub_(lr * p.grad());
  }
}

void copied(torch::nn::Linear net, torch::Tensor start) {
  torch::NoGradGuard no_grad;
  net->weight.copy_(start);
}
