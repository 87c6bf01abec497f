#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <stdexcept>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

torch::Tensor left_early(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  at::autocast::set_autocast_enabled(at::kCUDA, true);  // expect: autocast-not-restored
  auto out = net->forward(x);
  if (out.numel() == 0) return out;
  at::autocast::set_autocast_enabled(at::kCUDA, false);
  return out;
}

torch::Tensor thrown(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  if (x.dim() != 2) throw std::invalid_argument("a matrix is needed");
  at::autocast::set_autocast_enabled(at::kCUDA, true);  // expect: autocast-not-restored
  auto out = net->forward(x);
  if (out.size(1) != 4) throw std::runtime_error("four columns are needed");
  at::autocast::set_autocast_enabled(at::kCUDA, false);
  return out;
}

torch::Tensor never(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  at::autocast::set_autocast_enabled(at::kCUDA, true);  // expect: autocast-not-restored
  return net->forward(x);
}

// As LibTorch 1.10 to 2.3 spell it, and all later ones still take it.
torch::Tensor cudas_own_switch(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  at::autocast::set_enabled(true);  // expect: autocast-not-restored
  auto out = net->forward(x);
  if (out.numel() == 0) return out;
  at::autocast::set_enabled(false);
  return out;
}

torch::Tensor the_cpus_own_switch(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  at::autocast::set_cpu_enabled(true);  // expect: autocast-not-restored
  auto out = net->forward(x);
  if (out.size(1) != 4) throw std::runtime_error("four columns are needed");
  at::autocast::set_cpu_enabled(false);
  return out;
}

torch::Tensor another_devices_switch(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  at::autocast::set_enabled(true);  // expect: autocast-not-restored
  auto out = net->forward(x);
  at::autocast::set_cpu_enabled(false);
  return out;
}
