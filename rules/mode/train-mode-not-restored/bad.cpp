#include <torch/torch.h>

#include <utility>
#include <vector>

using Batches = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

struct NetImpl : torch::nn::Module {
  NetImpl() {
    fc = register_module("fc", torch::nn::Linear(8, 2));
    drop = register_module("drop", torch::nn::Dropout(0.5));
  }
  torch::Tensor forward(torch::Tensor x) { return fc->forward(drop->forward(x)); }
  torch::nn::Linear fc{nullptr};
  torch::nn::Dropout drop{nullptr};
};
TORCH_MODULE(Net);

void in_one_function(Net net, const Batches& train, const Batches& val, torch::optim::Optimizer& opt, int epochs) {
  net->train();
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (const auto& [x, y] : train) {
      opt.zero_grad();
      torch::mse_loss(net->forward(x), y).backward();
      opt.step();
    }
    torch::NoGradGuard no_grad;
    net->eval();  // expect: train-mode-not-restored
    for (const auto& [x, y] : val) net->forward(x);
  }
}
