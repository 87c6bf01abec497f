#include <torch/torch.h>

#include <deque>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

std::vector<torch::Tensor> detached(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  std::vector<torch::Tensor> curve;
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();
    curve.push_back(loss.detach());
  }
  return curve;
}

std::vector<double> numbers(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  std::vector<double> curve;
  int i = 0;
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();
    if (++i % 10 == 0) curve.push_back(loss.item<double>());
  }
  return curve;
}

std::vector<torch::Tensor> predict(torch::nn::Linear net, const Batches& batches) {
  torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> outputs;
  for (const auto& batch : batches) outputs.push_back(net->forward(batch.first));
  return outputs;
}

void run_backward_together(torch::nn::Linear net, const std::vector<Batches>& windows, torch::optim::Optimizer& opt) {
  for (const auto& window : windows) {
    opt.zero_grad();
    std::vector<torch::Tensor> losses;
    for (const auto& [x, y] : window) losses.push_back(torch::mse_loss(net->forward(x), y));
    torch::stack(losses).mean().backward();
    opt.step();
  }
}

void the_last_hundred(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  std::deque<torch::Tensor> recent;
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();
    recent.push_back(loss);
    if (recent.size() > 100) recent.pop_front();
  }
}

class Replay {
 public:
  void push(torch::Tensor frame) { frames_.push_back(std::move(frame)); }

 private:
  std::deque<torch::Tensor> frames_;
};

void observations(int steps) {
  Replay replay;
  for (int i = 0; i < steps; ++i) replay.push(torch::zeros({1, 84, 84}));
}

torch::Tensor unrolled(torch::nn::Linear cell, torch::Tensor x, int steps) {
  std::vector<torch::Tensor> outputs;
  for (int i = 0; i < steps; ++i) {
    x = cell->forward(x);
    outputs.push_back(x);
  }
  return torch::stack(outputs);
}
