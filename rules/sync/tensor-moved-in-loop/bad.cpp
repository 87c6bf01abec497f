#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void sizes_in_a_list(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, torch::Device device) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto noise = torch::randn({8, 4}).to(device);  // expect: tensor-moved-in-loop
    torch::mse_loss(net->forward(x + noise), y).backward();
    opt.step();
  }
}
