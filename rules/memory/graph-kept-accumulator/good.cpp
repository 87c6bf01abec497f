#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

torch::Tensor detached(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  auto total = torch::zeros({});
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();
    total += loss.detach();
  }
  return total;
}

double as_a_number(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  double total = 0;
  int i = 0;
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();
    if (++i % 10 == 0) total += loss.item<double>();
  }
  return total;
}

torch::Tensor evaluation(torch::nn::Linear net, const Batches& batches) {
  torch::NoGradGuard no_grad;
  net->eval();
  auto total = torch::zeros({});
  for (const auto& [x, y] : batches) total += torch::mse_loss(net->forward(x), y);
  return total;
}

torch::Tensor evaluation_in_inference_mode(torch::nn::Linear net, const Batches& batches) {
  c10::InferenceMode guard;
  auto total = torch::zeros({});
  for (const auto& [x, y] : batches) total = total + torch::mse_loss(net->forward(x), y);
  return total;
}

void the_sum_is_run_backward(torch::nn::Linear net, const std::vector<Batches>& windows, torch::optim::Optimizer& opt) {
  for (const auto& window : windows) {
    opt.zero_grad();
    auto loss = torch::zeros({});
    for (const auto& [x, y] : window) loss = loss + torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();
  }
}

torch::Tensor multi_head_loss(std::vector<torch::nn::Linear>& heads, torch::Tensor features, torch::Tensor target) {
  auto total = torch::zeros({});
  for (auto& head : heads) total = total + torch::mse_loss(head->forward(features), target);
  return total;
}

torch::Tensor hits(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  auto right = torch::zeros({}, torch::kLong);
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto out = net->forward(x);
    torch::nn::functional::cross_entropy(out, y).backward();
    opt.step();
    right += out.argmax(1).eq(y).sum();
  }
  return right;
}

torch::Tensor residual(std::vector<torch::nn::Linear>& blocks, torch::Tensor x) {
  for (auto& block : blocks) x = x + block->forward(x);
  return x;
}
