#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

double validate(torch::nn::Sequential model, const Batches& loader, torch::Device device) {
  model->eval();
  int64_t correct = 0;
  for (const auto& [x, y] : loader) {
    auto out = model->forward(x.to(device));  // expect: eval-without-no-grad
    correct += (out.argmax(1) == y.to(device)).sum().item<int64_t>();
  }
  return correct;
}
