#include <torch/torch.h>

torch::Tensor descend(torch::nn::Sequential net, torch::Tensor x, torch::Tensor y, double rate) {
  auto loss = torch::mse_loss(net->forward(x), y);
  loss.backward({}, /*keep_graph=*/true);
  {
    torch::NoGradGuard guard;
    for (auto& p : net->parameters()) {
      p.sub_(p.grad() * rate);
      p.mutable_grad().zero_();
    }
  }
  return loss.detach();
}
