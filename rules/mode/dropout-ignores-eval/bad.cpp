#include <torch/torch.h>

namespace F = torch::nn::functional;

struct ThreeSpellingsImpl : torch::nn::Module {
  ThreeSpellingsImpl() { fc = register_module("fc", torch::nn::Linear(8, 8)); }
  torch::Tensor forward(torch::Tensor x) {
    x = F::dropout(x);  // expect: dropout-ignores-eval
    x = F::dropout(x, F::DropoutFuncOptions().p(0.5));  // expect: dropout-ignores-eval
    return torch::dropout(fc->forward(x), 0.5, /*train=*/true);  // expect: dropout-ignores-eval
  }
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(ThreeSpellings);
