#include <torch/torch.h>

#include <map>
#include <string>
#include <vector>

struct StackImpl : torch::nn::Module {
  explicit StackImpl(int64_t depth) {
    for (int64_t i = 0; i < depth; ++i) {
      layers.push_back(torch::nn::Linear(8, 8));  // expect: modules-in-plain-list
    }
  }
  torch::Tensor forward(torch::Tensor x) {
    for (auto& layer : layers) x = layer->forward(x);
    return x;
  }
  std::vector<torch::nn::Linear> layers;
};
TORCH_MODULE(Stack);

struct NormsImpl : torch::nn::Module {
  NormsImpl() {
    fc = register_module("fc", torch::nn::Linear(8, 8));
    for (int i = 0; i < 3; ++i) {
      torch::nn::BatchNorm1d norm(8);
      norms.emplace_back(norm);  // expect: modules-in-plain-list
    }
  }
  torch::Tensor forward(torch::Tensor x, int i) { return norms[i]->forward(fc->forward(x)); }
  torch::nn::Linear fc{nullptr};
  std::vector<torch::nn::BatchNorm1d> norms;
};
TORCH_MODULE(Norms);
