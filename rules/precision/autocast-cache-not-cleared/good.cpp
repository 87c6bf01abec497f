#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <stdexcept>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void cleared_in_every_round(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  at::autocast::set_autocast_enabled(at::kCPU, true);
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto out = net->forward(x);
    torch::mse_loss(out.to(torch::kFloat32), y).backward();
    opt.step();
    at::autocast::clear_cache();
  }
  at::autocast::set_autocast_enabled(at::kCPU, false);
}

void weights_that_do_not_change(torch::nn::Linear net, const Batches& batches) {
  torch::NoGradGuard no_grad;
  at::autocast::set_autocast_enabled(at::kCPU, true);
  for (const auto& [x, y] : batches) net->forward(x);
  at::autocast::set_autocast_enabled(at::kCPU, false);
}

void without_a_cache(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  at::autocast::set_autocast_cache_enabled(false);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x).to(torch::kFloat32), y).backward();
    opt.step();
  }
  at::autocast::set_autocast_enabled(at::kCPU, false);
}

void cleared_after_the_cpus_own_switch(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    at::autocast::set_cpu_enabled(true);
    auto out = net->forward(x);
    at::autocast::set_cpu_enabled(false);
    torch::mse_loss(out.to(torch::kFloat32), y).backward();
    opt.step();
    at::autocast::clear_cache();
  }
}
