#include <torch/torch.h>

double evaluate(torch::nn::Sequential net, const std::vector<std::pair<torch::Tensor, torch::Tensor>>& batches) {
  net->eval();
  double hits = 0;
  int64_t seen = 0;
  {
    torch::NoGradGuard guard;
    for (const auto& [x, y] : batches) {
      auto guess = net->forward(x).argmax(1);
      hits += (guess == y).sum().item<int64_t>();
      seen += x.size(0);
    }
  }
  return hits / seen;
}
