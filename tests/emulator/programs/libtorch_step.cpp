// Trains a small MLP for three steps on the device and prints what PyTorch's allocator took.
#include <cstdio>

#include <c10/cuda/CUDACachingAllocator.h>
#include <torch/torch.h>

int main() {
  const torch::Device device(torch::kCUDA);
  torch::nn::Sequential net;
  net->push_back(torch::nn::Linear(512, 256));
  net->push_back(torch::nn::ReLU());
  net->push_back(torch::nn::Linear(256, 10));
  net->to(device);
  torch::optim::AdamW optimizer(net->parameters(), torch::optim::AdamWOptions(1e-3));
  const auto x = torch::randn({128, 512}, device);
  const auto y =
      torch::randint(0, 10, {128}, torch::TensorOptions().device(device).dtype(torch::kLong));
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    auto loss = torch::nn::functional::cross_entropy(net->forward(x), y);
    loss.backward();
    optimizer.step();
  }
  torch::cuda::synchronize();
  const auto stats = c10::cuda::CUDACachingAllocator::get()->getDeviceStats(0);
  std::printf("%lld %lld\n", static_cast<long long>(stats.allocated_bytes[0].peak),
              static_cast<long long>(stats.reserved_bytes[0].peak));
  return 0;
}
