#include <c10/cuda/CUDACachingAllocator.h>
#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void every_step(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
    c10::cuda::CUDACachingAllocator::emptyCache();  // expect: empty-cache-in-loop
  }
}
