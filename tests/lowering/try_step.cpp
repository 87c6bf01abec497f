#include <c10/cuda/CUDACachingAllocator.h>
#include <torch/torch.h>

int fit(torch::nn::Sequential net, const std::vector<std::pair<torch::Tensor, torch::Tensor>>& batches,
        torch::optim::Optimizer& opt) {
  int failed = 0;
  for (const auto& [x, y] : batches) {
    try {
      opt.zero_grad();
      auto loss = torch::mse_loss(net->forward(x), y);
      loss.backward();
      opt.step();
    } catch (const c10::Error& error) {
      ++failed;
      c10::cuda::CUDACachingAllocator::emptyCache();
    }
  }
  return failed;
}
