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

void past_the_scaler(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, GradScaler& scaler) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    scaler.scale(torch::mse_loss(net->forward(x), y)).backward();
    opt.step();  // expect: scaled-backward-plain-step
    scaler.update();
  }
}
