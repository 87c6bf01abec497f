#include <torch/torch.h>

class LossScaler {
 public:
  explicit LossScaler(double factor) : factor(factor) {}

  torch::Tensor scale(const torch::Tensor& loss) { return loss * factor; }

  void unscale_(torch::optim::Optimizer& opt) { factor = factor * 0.5; }

  void step(torch::optim::Optimizer& opt) { opt.step(); }

  void update() { factor = factor * 2.0; }

 private:
  double factor;
};

void run_epoch(torch::nn::Sequential& net, const std::vector<std::pair<torch::Tensor, torch::Tensor>>& batches,
               torch::optim::Optimizer& opt) {
  LossScaler scaler(1024.0);
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::nn::functional::mse_loss(net->forward(x), y);
    scaler.scale(loss).backward();
    scaler.unscale_(opt);
    scaler.step(opt);
    scaler.update();
  }
}
