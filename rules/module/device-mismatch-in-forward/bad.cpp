#include <torch/torch.h>

struct SizesInAListImpl : torch::nn::Module {
  SizesInAListImpl() { fc = register_module("fc", torch::nn::Linear(8, 8)); }
  torch::Tensor forward(torch::Tensor x) {
    auto noise = torch::randn({x.size(0), 8});  // expect: device-mismatch-in-forward
    return fc->forward(x) + noise;
  }
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(SizesInAList);

void move(SizesInAList net) { net->to(torch::kCUDA); }
