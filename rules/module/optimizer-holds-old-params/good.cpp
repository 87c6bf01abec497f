#include <torch/torch.h>

struct NetImpl : torch::nn::Module {
  NetImpl() { fc = register_module("fc", torch::nn::Linear(8, 10)); }
  torch::Tensor forward(torch::Tensor x) { return fc->forward(x); }
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Net);

void fit(torch::Tensor x, torch::Tensor y) {
  Net net;
  net->fc = net->replace_module("fc", torch::nn::Linear(8, 2));
  torch::optim::SGD opt(net->parameters(), 0.1);
  opt.zero_grad();
  torch::mse_loss(net->forward(x), y).backward();
  opt.step();
}
