#include <torch/torch.h>

namespace F = torch::nn::functional;

struct NetImpl : torch::nn::Module {
  NetImpl() {
    fc = register_module("fc", torch::nn::Linear(8, 8));
    drop = register_module("drop", torch::nn::Dropout(0.5));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = F::dropout(x, F::DropoutFuncOptions().p(0.5).training(is_training()));
    x = torch::dropout(x, 0.5, is_training());
    return drop->forward(fc->forward(x));
  }
  torch::nn::Linear fc{nullptr};
  torch::nn::Dropout drop{nullptr};
};
TORCH_MODULE(Net);
