#include <torch/torch.h>

float fit(torch::nn::Sequential net, const std::vector<std::pair<torch::Tensor, torch::Tensor>>& batches,
          torch::optim::Optimizer& opt, float best, int patience) {
  if (patience == 0) return best;
  int bad = 0;
  for (const auto& [x, y] : batches) {
    auto loss = torch::mse_loss(net->forward(x), y);
    const float value = loss.item<float>();
    if (value != value) {
      continue;
    } else if (value < best) {
      best = value;
      bad = 0;
    } else {
      ++bad;
    }
    if (bad > patience) break;
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
  return best;
}
