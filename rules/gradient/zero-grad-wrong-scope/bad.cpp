#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void once_an_epoch(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, int epochs) {
  for (int epoch = 0; epoch < epochs; ++epoch) {
    opt.zero_grad();  // expect: zero-grad-wrong-scope
    for (const auto& [x, y] : batches) {
      torch::mse_loss(net->forward(x), y).backward();
      opt.step();
    }
  }
}

void once_before_everything(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  opt.zero_grad();  // expect: zero-grad-wrong-scope
  for (const auto& [x, y] : batches) {
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
  }
}

class Trainer {
 public:
  explicit Trainer(torch::nn::Linear net) : net_(net), opt_(net->parameters(), torch::optim::AdamOptions(1e-3)) {}
  void fit(const Batches& batches, int epochs) {
    for (int epoch = 0; epoch < epochs; ++epoch) {
      opt_.zero_grad();  // expect: zero-grad-wrong-scope
      for (const auto& [x, y] : batches) train_batch(x, y);
    }
  }

 private:
  void train_batch(const torch::Tensor& x, const torch::Tensor& y) {
    torch::mse_loss(net_->forward(x), y).backward();
    opt_.step();
  }
  torch::nn::Linear net_;
  torch::optim::Adam opt_;
};
