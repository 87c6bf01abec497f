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

void left_before_the_update(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, GradScaler& scaler,
                            double limit) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    scaler.scale(torch::nn::functional::cross_entropy(net->forward(x), y)).backward();
    scaler.unscale_(opt);
    double norm = torch::nn::utils::clip_grad_norm_(net->parameters(), limit);
    if (norm > 10 * limit) continue;  // expect: scaler-update-skipped
    scaler.step(opt);
    scaler.update();
  }
}
