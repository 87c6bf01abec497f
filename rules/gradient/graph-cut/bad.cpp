#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void from_a_number(torch::nn::Linear net, torch::Tensor x, torch::Tensor y, torch::optim::Optimizer& opt) {
  opt.zero_grad();
  auto loss = torch::mse_loss(net->forward(x), y);
  auto rebuilt = torch::tensor(loss.item<float>(), torch::requires_grad());  // expect: graph-cut
  rebuilt.backward();
  opt.step();
}

void detached(torch::nn::Linear net, torch::Tensor x, torch::Tensor y, torch::optim::Optimizer& opt) {
  opt.zero_grad();
  auto out = net->forward(x).detach();  // expect: graph-cut
  out.requires_grad_();
  torch::mse_loss(out, y).backward();
  opt.step();
}
