#include <torch/torch.h>

#include <functional>
#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

torch::nn::Linear of_the_lowest_score(torch::nn::Linear net, const Batches& batches, torch::optim::Optimizer& opt,
                                      const std::function<double()>& score) {
  torch::nn::Linear best(nullptr);
  double lowest = 1e9;
  for (const auto& [x, y] : batches) {
    opt.zero_grad();
    torch::mse_loss(net->forward(x), y).backward();
    opt.step();
    const double now = score();
    if (now < lowest) {
      lowest = now;
      best = net;  // expect: best-weights-alias
    }
  }
  torch::save(best, "best.pt");
  return net;
}
