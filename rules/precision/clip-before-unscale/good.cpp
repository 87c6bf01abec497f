#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

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

void unscaled_first(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  GradScaler scaler;
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    scaler.scale(loss).backward();
    scaler.unscale_(opt);
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    scaler.step(opt);
    scaler.update();
  }
}

void the_same_branch_twice(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, GradScaler& scaler, bool amp) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    if (amp) {
      scaler.scale(loss).backward();
    } else {
      loss.backward();
    }
    if (amp) scaler.unscale_(opt);
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    if (amp) {
      scaler.step(opt);
      scaler.update();
    } else {
      opt.step();
    }
  }
}

void no_scaler(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    opt.step();
  }
}
