#include <torch/torch.h>

struct ProjectsImpl : torch::nn::Module {
  ProjectsImpl() { fc = register_module("fc", torch::nn::Linear(8, 8)); }
  torch::Tensor forward(torch::Tensor x) {
    x = fc->forward(x);
    torch::nn::Linear proj(x.size(1), 16);  // expect: module-built-in-forward
    return proj->forward(x);
  }
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Projects);
