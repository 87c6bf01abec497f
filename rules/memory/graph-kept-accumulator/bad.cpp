#include <torch/torch.h>

#include <cstdio>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

torch::Tensor augmented(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  auto total = torch::zeros({});
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();
    total += loss;  // expect: graph-kept-accumulator
  }
  return total;
}

torch::Tensor rebound(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  torch::Tensor total = torch::zeros({});
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();
    total = total + loss;  // expect: graph-kept-accumulator
  }
  return total;
}

class RunningMean {
 public:
  void push(const torch::Tensor& value, int64_t n) {
    total_ = total_ + value * n;
    n_ += n;
  }

 private:
  torch::Tensor total_ = torch::zeros({});
  int64_t n_ = 0;
};

void through_a_method(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  RunningMean mean;
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();
    mean.push(loss, x.size(0));  // expect: graph-kept-accumulator
  }
}

torch::Tensor evaluation_with_gradients(torch::nn::Linear net, const Batches& batches) {
  net->eval();
  auto total = torch::zeros({});
  for (const auto& [x, y] : batches) {
    total += torch::mse_loss(net->forward(x), y);  // expect: graph-kept-accumulator, eval-without-no-grad
  }
  return total;
}

template <typename DataLoader>
void in_a_template(torch::nn::Linear& net, DataLoader& loader, torch::optim::Optimizer& opt) {
  torch::Tensor total = torch::zeros({});
  for (auto& batch : loader) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(batch.first), batch.second);
    loss.backward();
    opt.step();
    total += loss;  // expect: graph-kept-accumulator
  }
  std::printf("%f\n", total.item<float>());
}

void use_the_template(torch::nn::Linear net, Batches& batches, torch::optim::SGD& opt) { in_a_template(net, batches, opt); }
