#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void plain(torch::nn::Sequential net, torch::Tensor x, torch::Tensor y, torch::optim::Optimizer& opt, int steps) {
  for (int i = 0; i < steps; ++i) {
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();  // expect: zero-grad-missing
  }
}

void only_the_other_optimizer_is_cleared(torch::nn::Sequential gen, torch::nn::Sequential critic, torch::optim::Adam& opt_g,
                                         torch::optim::Adam& opt_c, const std::vector<torch::Tensor>& reals) {
  for (const auto& real : reals) {
    auto loss_c = torch::softplus(critic->forward(gen->forward(real).detach())).mean();
    loss_c.backward();
    opt_c.step();  // expect: zero-grad-missing
    opt_g.zero_grad();
    auto loss_g = torch::softplus(-critic->forward(gen->forward(real))).mean();
    loss_g.backward();
    opt_g.step();
  }
}

void train_step(torch::nn::Sequential& net, torch::Tensor x, torch::Tensor y, torch::optim::Optimizer& opt) {
  torch::mse_loss(net->forward(x), y).backward();
  opt.step();  // expect: zero-grad-missing
}

void through_a_helper(torch::nn::Sequential& net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) train_step(net, x, y, opt);
}

class Trainer {
 public:
  explicit Trainer(torch::nn::Sequential net) : net_(net), opt_(net->parameters(), torch::optim::SGDOptions(0.1)) {}
  void fit(const Batches& batches, int epochs) {
    for (int epoch = 0; epoch < epochs; ++epoch) {
      for (const auto& [x, y] : batches) step(x, y);
    }
  }

 private:
  void step(const torch::Tensor& x, const torch::Tensor& y) {
    auto loss = torch::mse_loss(net_->forward(x), y);
    loss.backward();
    opt_.step();  // expect: zero-grad-missing
  }
  torch::nn::Sequential net_;
  torch::optim::SGD opt_;
};

template <typename DataLoader>
void in_a_template(torch::nn::Linear& net, DataLoader& loader, torch::optim::Optimizer& opt) {
  for (auto& batch : loader) {
    auto loss = torch::mse_loss(net->forward(batch.first), batch.second);
    loss.backward();
    opt.step();  // expect: zero-grad-missing
  }
}

void use_the_template(torch::nn::Linear net, Batches& batches, torch::optim::SGD& opt) { in_a_template(net, batches, opt); }
