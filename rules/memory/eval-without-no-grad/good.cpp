#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

double with_a_guard(torch::nn::Sequential model, const Batches& batches) {
  torch::NoGradGuard no_grad;
  model->eval();
  int64_t correct = 0;
  for (const auto& [x, y] : batches) correct += model->forward(x).argmax(1).eq(y).sum().item<int64_t>();
  return correct;
}

void frozen_batch_norm(torch::nn::Sequential model, const Batches& batches, torch::optim::Optimizer& opt) {
  model->eval();
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(model->forward(x), y).backward();
    opt.step();
  }
}

// A look at the shapes.
void tried_out(torch::nn::Sequential model) {
  auto available = torch::cuda::is_available();
  torch::Device device(available ? torch::kCUDA : torch::kCPU);
  model->eval();
  auto x = torch::ones({2, 100, 24}).to(device);
  std::cout << model->forward(x).sizes() << std::endl;
}
