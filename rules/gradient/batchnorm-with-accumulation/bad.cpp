#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

struct NetImpl : torch::nn::Module {
  NetImpl() {
    fc = register_module("fc", torch::nn::Linear(8, 8));
    bn = register_module("bn", torch::nn::BatchNorm1d(8));
  }
  torch::Tensor forward(torch::Tensor x) { return bn->forward(fc->forward(x)); }
  torch::nn::Linear fc{nullptr};
  torch::nn::BatchNorm1d bn{nullptr};
};
TORCH_MODULE(Net);

void counted_by_hand(const Batches& batches, int every) {
  Net net;
  torch::optim::SGD opt(net->parameters(), torch::optim::SGDOptions(0.1));
  int i = 0;
  for (const auto& [x, y] : batches) {
    auto loss = torch::mse_loss(net->forward(x), y) / every;  // expect: batchnorm-with-accumulation
    loss.backward();
    if (++i % every == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}
