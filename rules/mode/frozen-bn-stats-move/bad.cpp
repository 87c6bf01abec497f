#include <torch/torch.h>

#include <utility>
#include <vector>

void built_here(const std::vector<std::pair<torch::Tensor, torch::Tensor>>& batches) {
  torch::nn::Sequential backbone(torch::nn::Linear(4, 8), torch::nn::BatchNorm1d(8));
  torch::nn::Linear head(8, 2);
  torch::optim::SGD opt(head->parameters(), 0.1);
  for (auto& p : backbone->parameters()) p.set_requires_grad(false);
  backbone->train();  // expect: frozen-bn-stats-move
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(head->forward(backbone->forward(x)), y).backward();
    opt.step();
  }
}
