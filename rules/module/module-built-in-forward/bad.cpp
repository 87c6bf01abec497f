#include <torch/torch.h>

struct ProjectsImpl : torch::nn::Module {
  ProjectsImpl() { conv = register_module("conv", torch::nn::Conv2d(3, 8, 3)); }
  torch::Tensor forward(torch::Tensor x) {
    x = conv->forward(x);
    torch::nn::Linear proj(x.size(-1), 16);  // expect: module-built-in-forward
    return proj->forward(x);
  }
  torch::nn::Conv2d conv{nullptr};
};
TORCH_MODULE(Projects);
