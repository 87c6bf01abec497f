#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

torch::Tensor validate_hits(torch::nn::Sequential net, const Batches& batches) {
  torch::NoGradGuard no_grad;
  auto hits = torch::zeros({});
  net->train();  // expect: train-mode-in-validation
  for (const auto& [x, y] : batches) {
    hits += net->forward(x).argmax(1).eq(y).sum();
  }
  return hits;
}

torch::nn::Sequential make_net() {
  return torch::nn::Sequential(torch::nn::Linear(8, 8), torch::nn::BatchNorm1d(8), torch::nn::Linear(8, 2));
}
