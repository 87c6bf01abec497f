#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void with_autograd_grad(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    auto grads = torch::autograd::grad({loss}, net->parameters(), {}, /*retain_graph=*/true, /*create_graph=*/true);
    (loss + grads[0].pow(2).sum()).backward();
    opt.step();
  }
}
