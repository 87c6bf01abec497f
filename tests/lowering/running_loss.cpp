#include <torch/torch.h>

#include <iostream>

double run_epoch(torch::nn::Sequential net, const std::vector<std::pair<torch::Tensor, torch::Tensor>>& batches,
                 torch::optim::Optimizer& opt) {
  double total = 0.0;
  int64_t seen = 0;
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    auto loss = torch::nn::functional::cross_entropy(net->forward(x), y);
    loss.backward();
    opt.step();
    total += loss.item<double>() * static_cast<double>(x.size(0));
    seen += x.size(0);
    if (seen % 1000 == 0) std::cout << seen << total / seen << std::endl;
  }
  return total / seen;
}
