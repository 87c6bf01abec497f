#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

double validate(torch::nn::Sequential model, const Batches& batches, torch::Device device) {
  model->eval();
  int64_t correct = 0;
  for (const auto& [x, y] : batches) {
    auto out = model->forward(x.to(device));  // expect: eval-without-no-grad
    correct += out.argmax(1).eq(y.to(device)).sum().item<int64_t>();
  }
  return correct;
}
