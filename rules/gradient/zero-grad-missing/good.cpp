#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void at_the_top(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
  }
}

void at_the_bottom(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
    opt.zero_grad();
  }
}

void accumulation(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, int every) {
  int i = 0;
  for (const auto& [x, y] : batches) {
    (torch::mse_loss(net->forward(x), y) / every).backward();
    if (++i % every == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void of_the_module(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    net->zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
  }
}

void by_hand(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
    for (auto& p : net->parameters()) p.mutable_grad() = torch::Tensor();
  }
}

void by_hand_to_zero(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    for (auto& p : net->parameters()) {
      if (p.grad().defined()) p.grad().zero_();
    }
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
  }
}

void clear(torch::optim::Optimizer& optimizer) { optimizer.zero_grad(); }

void through_a_helper(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  for (const auto& [x, y] : batches) {
    clear(opt);
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
  }
}

struct Model {
  torch::nn::Linear net{nullptr};
  torch::optim::Adam* geometry = nullptr;
  torch::optim::Adam* colour = nullptr;
  void optimizersZeroGrad() {
    geometry->zero_grad();
    colour->zero_grad();
  }
  void optimizersStep() {
    geometry->step();
    colour->step();
  }
};

void through_methods(Model& model, const Batches& batches) {
  for (const auto& [x, y] : batches) {
    model.optimizersZeroGrad();
    torch::mse_loss(model.net->forward(x), y).backward();
    model.optimizersStep();
  }
}

void lbfgs(torch::nn::Linear net, torch::Tensor x, torch::Tensor y, int steps) {
  torch::optim::LBFGS opt(net->parameters(), torch::optim::LBFGSOptions(0.5));
  auto closure = [&]() {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    return loss;
  };
  for (int i = 0; i < steps; ++i) opt.step(closure);
}

void one_shot(torch::nn::Linear net, torch::Tensor x, torch::Tensor y, torch::optim::Optimizer& opt) {
  torch::mse_loss(net->forward(x), y).backward();
  opt.step();
}
