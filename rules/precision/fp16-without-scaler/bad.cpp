#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <stdexcept>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void switched_on_by_hand(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    at::autocast::set_autocast_enabled(at::kCUDA, true);
    auto out = net->forward(x);
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCUDA, false);
    torch::mse_loss(out.to(torch::kFloat32), y).backward();  // expect: fp16-without-scaler
    opt.step();
  }
}

// As LibTorch 1.10 to 2.3 spell it, and all later ones still take it.
void cudas_own_switch(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    at::autocast::set_enabled(true);
    auto out = net->forward(x);
    at::autocast::clear_cache();
    at::autocast::set_enabled(false);
    torch::mse_loss(out.to(torch::kFloat32), y).backward();  // expect: fp16-without-scaler
    opt.step();
  }
}
