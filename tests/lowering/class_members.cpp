#include <torch/torch.h>

struct RunningMean {
  double total = 0.0;
  int64_t count = 0;

  void push(double value, int64_t n) {
    total += value * n;
    count += n;
  }
  double mean() const { return total / count; }
};

template <class Batches>
double run_epoch(torch::nn::Sequential net, Batches& batches, torch::optim::SGD& opt) {
  RunningMean meter;
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::Tensor loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();
    meter.push(loss.template item<double>(), x.size(0));
  }
  return meter.mean();
}

template double run_epoch(torch::nn::Sequential, std::vector<std::pair<torch::Tensor, torch::Tensor>>&, torch::optim::SGD&);
