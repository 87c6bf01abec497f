#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void never_used(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward({}, /*retain_graph=*/true, /*create_graph=*/true);  // expect: create-graph-backward
    opt.step();
  }
}
