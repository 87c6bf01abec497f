#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void finish_step(torch::optim::Optimizer& opt);

void a_step(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
  }
}

void the_caller_steps(torch::nn::Linear net, torch::Tensor x, torch::Tensor y, torch::optim::Optimizer& opt) {
  opt.zero_grad();
  torch::mse_loss(net->forward(x), y).backward();
}

void code_that_is_not_seen_steps(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    finish_step(opt);
  }
}

void by_hand(torch::nn::Linear net, const Batches& batches, double rate) {
  for (const auto& [x, y] : batches) {
    net->zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    torch::NoGradGuard no_grad;
    for (auto& p : net->parameters()) p.sub_(rate * p.grad());
  }
}
