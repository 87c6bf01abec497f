#include <torch/torch.h>

#include <chrono>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

double one_forward(torch::nn::Linear net, torch::Tensor x, torch::Device device) {
  torch::NoGradGuard no_grad;
  net->to(device);
  x = x.to(device);
  auto start = std::chrono::steady_clock::now();
  auto out = net->forward(x);
  auto end = std::chrono::steady_clock::now();  // expect: timing-without-sync
  return std::chrono::duration<double>(end - start).count();
}
