#include <torch/torch.h>

torch::Tensor curve(torch::nn::Sequential net, const std::vector<std::pair<torch::Tensor, torch::Tensor>>& batches,
                    std::unique_ptr<torch::optim::Optimizer> opt) {
  std::vector<torch::Tensor> losses;
  for (const auto& [x, y] : batches) {
    opt->zero_grad();
    auto loss = torch::smooth_l1_loss(net->forward(x), y);
    loss.backward();
    opt->step();
    losses.push_back(std::move(loss));
    if (losses.size() > 100) {
      losses.clear();
    }
  }
  return torch::stack(losses);
}
