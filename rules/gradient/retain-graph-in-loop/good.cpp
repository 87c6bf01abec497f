#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void two_losses_share_a_graph(torch::nn::Linear trunk, torch::nn::Linear head_a, torch::nn::Linear head_b, const Batches& batches,
                              torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto features = trunk->forward(x);
    torch::mse_loss(head_a->forward(features), y).backward({}, true);
    torch::l1_loss(head_b->forward(features), y).backward();
    opt.step();
  }
}
