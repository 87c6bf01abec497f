#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

// LibTorch has no gradient scaler; programs bring their own.
class GradScaler {
 public:
  torch::Tensor scale(const torch::Tensor& loss) { return loss * scale_; }
  void unscale_(torch::optim::Optimizer& optimizer) {
    for (auto& group : optimizer.param_groups()) {
      for (auto& p : group.params()) p.mutable_grad().div_(scale_);
    }
  }
  void step(torch::optim::Optimizer& optimizer) { optimizer.step(); }
  void update() { scale_ *= 2; }

 private:
  double scale_ = 65536.0;
};

void plain(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  GradScaler scaler;
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    scaler.scale(loss).backward();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);  // expect: clip-before-unscale
    scaler.step(opt);
    scaler.update();
  }
}

void unscaled_after(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, GradScaler& scaler) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    scaler.scale(torch::mse_loss(net->forward(x), y)).backward();
    torch::nn::utils::clip_grad_value_(net->parameters(), 0.5);  // expect: clip-before-unscale
    scaler.unscale_(opt);
    scaler.step(opt);
    scaler.update();
  }
}
