#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <stdexcept>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

torch::Tensor on_every_path(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  at::autocast::set_autocast_enabled(at::kCUDA, true);
  auto out = net->forward(x);
  at::autocast::set_autocast_enabled(at::kCUDA, false);
  if (out.numel() == 0) return out;
  return out + 1;
}

torch::Tensor back_to_what_it_was(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  const bool before = at::autocast::is_autocast_enabled(at::kCUDA);
  at::autocast::set_autocast_enabled(at::kCUDA, true);
  auto out = net->forward(x);
  at::autocast::set_autocast_enabled(at::kCUDA, before);
  return out;
}

class Autocast {
 public:
  Autocast() : before_(at::autocast::is_autocast_enabled(at::kCUDA)) { at::autocast::set_autocast_enabled(at::kCUDA, true); }
  ~Autocast() { at::autocast::set_autocast_enabled(at::kCUDA, before_); }

 private:
  bool before_;
};

torch::Tensor with_a_guard(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  Autocast autocast;
  return net->forward(x);
}

torch::Tensor by_cudas_own_switch(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  at::autocast::set_enabled(true);
  auto out = net->forward(x);
  at::autocast::set_enabled(false);
  return out;
}

torch::Tensor as_the_cpus_own_switch_was(torch::nn::Linear net, torch::Tensor x) {
  torch::NoGradGuard no_grad;
  const bool before = at::autocast::is_cpu_enabled();
  at::autocast::set_cpu_enabled(true);
  auto out = net->forward(x);
  at::autocast::set_cpu_enabled(before);
  return out;
}
