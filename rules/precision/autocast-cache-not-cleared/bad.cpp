#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <stdexcept>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void switched_on_once(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  at::autocast::set_autocast_enabled(at::kCPU, true);
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto out = net->forward(x);  // expect: autocast-cache-not-cleared
    torch::mse_loss(out.to(torch::kFloat32), y).backward();
    opt.step();
  }
  at::autocast::set_autocast_enabled(at::kCPU, false);
}

void on_and_off_in_every_round(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    at::autocast::set_autocast_enabled(at::kCPU, true);
    auto out = net->forward(x);  // expect: autocast-cache-not-cleared
    at::autocast::set_autocast_enabled(at::kCPU, false);
    torch::mse_loss(out.to(torch::kFloat32), y).backward();
    opt.step();
  }
}

// As LibTorch 1.10 to 2.3 spell it, and all later ones still take it.
void the_cpus_own_switch(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  at::autocast::set_cpu_enabled(true);
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto out = net->forward(x);  // expect: autocast-cache-not-cleared
    torch::mse_loss(out.to(torch::kFloat32), y).backward();
    opt.step();
  }
  at::autocast::set_cpu_enabled(false);
}

void of_the_cpu_in_every_round(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    at::autocast::set_cpu_enabled(true);
    auto out = net->forward(x);  // expect: autocast-cache-not-cleared
    at::autocast::set_cpu_enabled(false);
    torch::mse_loss(out.to(torch::kFloat32), y).backward();
    opt.step();
  }
}
