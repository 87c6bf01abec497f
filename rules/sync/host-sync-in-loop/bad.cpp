#include <torch/torch.h>

#include <cstdio>
#include <iostream>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void one_read_a_step(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  float shown = 0;
  int step = 0;
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();
    shown = 0.9f * shown + 0.1f * loss.item<float>();  // expect: host-sync-in-loop
    if (++step % 100 == 0) std::printf("%d %f\n", step, shown);
  }
}

void two_reads_a_step(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  double total = 0;
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto out = net->forward(x);
    auto l1 = torch::l1_loss(out, y);
    auto l2 = torch::mse_loss(out, y);
    (l1 + l2).backward();
    opt.step();
    total += l1.item<float>();  // expect: host-sync-in-loop
    total += l2.item<float>();  // expect: host-sync-in-loop
  }
  std::printf("%f\n", total);
}

void printing(torch::nn::Linear net, const Batches& loader, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : loader) {
    opt.zero_grad();
    auto loss = torch::nn::functional::cross_entropy(net->forward(x), y);
    loss.backward();
    opt.step();
    std::cout << "loss" << loss << std::endl;  // expect: host-sync-in-loop
  }
}

float train_step(torch::nn::Linear& net, torch::Tensor x, torch::Tensor y, torch::optim::Optimizer& opt) {
  opt.zero_grad();
  auto loss = torch::nn::functional::cross_entropy(net->forward(x), y);
  loss.backward();
  opt.step();
  return loss.item<float>();  // expect: host-sync-in-loop
}

void in_a_helper(torch::nn::Linear net, const Batches& loader, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : loader) train_step(net, x, y, opt);
}
