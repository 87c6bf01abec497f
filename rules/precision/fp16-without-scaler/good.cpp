#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <stdexcept>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

class GradScaler {
 public:
  torch::Tensor scale(torch::Tensor loss);
  void unscale_(torch::optim::Optimizer& opt);
  void step(torch::optim::Optimizer& opt);
  void update();
};

void with_a_scaler(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, GradScaler& scaler) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    at::autocast::set_autocast_enabled(at::kCUDA, true);
    auto out = net->forward(x);
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCUDA, false);
    scaler.scale(torch::mse_loss(out.to(torch::kFloat32), y)).backward();
    scaler.step(opt);
    scaler.update();
  }
}

void on_the_cpu(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    at::autocast::set_autocast_enabled(at::kCPU, true);
    auto out = net->forward(x);
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
    torch::mse_loss(out.to(torch::kFloat32), y).backward();
    opt.step();
  }
}

void on_the_cpu_by_its_own_switch(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    at::autocast::set_cpu_enabled(true);
    auto out = net->forward(x);
    at::autocast::clear_cache();
    at::autocast::set_cpu_enabled(false);
    torch::mse_loss(out.to(torch::kFloat32), y).backward();
    opt.step();
  }
}
