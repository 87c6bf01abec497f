#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

class GradScaler {
 public:
  torch::Tensor scale(torch::Tensor loss);
  void unscale_(torch::optim::Optimizer& opt);
  void step(torch::optim::Optimizer& opt);
  void update();
};

void two_branches(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, GradScaler& scaler, bool amp) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    if (amp) {
      scaler.scale(loss).backward();
      scaler.step(opt);
      scaler.update();
    } else {
      loss.backward();
      opt.step();
    }
  }
}
