#include <torch/torch.h>

#include <map>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

std::vector<torch::Tensor> losses(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt, int epochs) {
  std::vector<torch::Tensor> curve;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (const auto& [x, y] : batches) {
      opt.zero_grad();
      auto loss = torch::smooth_l1_loss(net->forward(x), y);
      loss.backward();
      opt.step();
      curve.push_back(loss);  // expect: graph-kept-container
    }
  }
  return curve;
}

void by_key(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt) {
  std::map<int, torch::Tensor> by_step;
  for (int i = 0; i < static_cast<int>(batches.size()); ++i) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(batches[i].first), batches[i].second);
    loss.backward();
    opt.step();
    by_step[i] = loss;  // expect: graph-kept-container
  }
}

class Trainer {
 public:
  explicit Trainer(torch::nn::Linear net) : net_(net), opt_(net->parameters(), torch::optim::SGDOptions(0.1)) {}
  void fit(const Batches& batches) {
    for (const auto& [x, y] : batches) {
      opt_.zero_grad();
      auto loss = torch::mse_loss(net_->forward(x), y);
      loss.backward();
      opt_.step();
      losses_.push_back(loss);  // expect: graph-kept-container
    }
  }

 private:
  torch::nn::Linear net_;
  torch::optim::SGD opt_;
  std::vector<torch::Tensor> losses_;
};

std::vector<torch::Tensor> outputs_of_an_evaluation(torch::nn::Linear net, const Batches& batches) {
  net->eval();
  std::vector<torch::Tensor> outputs;
  for (const auto& batch : batches) {
    outputs.push_back(net->forward(batch.first));  // expect: graph-kept-container, eval-without-no-grad
  }
  return outputs;
}
