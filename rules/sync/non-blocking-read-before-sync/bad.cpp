#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

float one_number(torch::nn::Linear net, torch::Tensor x, torch::Device device) {
  torch::NoGradGuard no_grad;
  auto out = net->forward(x.to(device)).sum();
  auto host = out.to(torch::kCPU, /*non_blocking=*/true);
  return host.item<float>();  // expect: non-blocking-read-before-sync
}
